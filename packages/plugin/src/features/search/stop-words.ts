// Lists words that say little about what a query or a prompt is about.

/** Questions hold these words whatever they ask for. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  "a about an and are as at be by can did do does for from had has have how i in is it of on or our that the their this to us was we were what when where which who why will with you your".split(
    " ",
  ),
);

/**
 * Prompts also hold these words whatever they are about. A query consists of words that somebody chose, so there they
 * count.
 */
export const PROMPT_WORDS: ReadonlySet<string> = new Set(
  "add again all also any back been before better change check code continue could current don't done error every file files find fix fixed function get give go good had here if implement into issue it's just keep know last let let's like line look make me more most move must need new next no not now one only other out over please problem put read remove rename run same see set should show some start still sure take test tests than thanks that's them then there these they thing think those through too try two update use used using very want way well whole without work working works would write wrong yes yet".split(
    " ",
  ),
);
