// Finds what a user typed into the placeholders of a command's template.

/** Matches placeholders of arguments, by place or all of them, and shell output, which was not typed. */
const HOLE = /(\$(?:ARGUMENTS|@|\d+)|\$\{(?:ARGUMENTS|@|\d+)(?::[^}]*)?\})|!`[^`]+`/g;

/** A placeholder's text that holds so many words of the template in a row came from the template. */
const FEW_WORDS = 3;

/**
 * Returns the words in the placeholders, a paragraph each; null if this template doesn't make the text. A host
 * puts arguments without a placeholder after the template's end.
 */
export function typedIn(text: string, template: string): string | null {
  const whole = template.trim();
  const holes = [...whole.matchAll(HOLE)];
  const pieces = [0, ...holes.map((hole) => hole.index + hole[0].length)].map((start, at) =>
    whole.slice(start, holes[at]?.index).trim(),
  );
  const filled = matchFillings(text.trim(), pieces);
  if (!filled) return null;
  const own = pieces.filter((piece) => piece.split(/\s+/).length >= FEW_WORDS);
  return filled
    .filter((_, at) => at === holes.length || holes[at]?.[1] !== undefined)
    .filter((words) => words !== "" && !own.some((piece) => words.includes(piece)))
    .join("\n\n");
}

/** Returns the texts between the pieces and after the last one; null if a piece is missing. */
function matchFillings(text: string, pieces: readonly string[]): readonly string[] | null {
  const filled: string[] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isOpenEnd = piece === "" && index === pieces.length - 1;
    const found = isOpenEnd ? text.length : text.indexOf(piece, at);
    if (found === -1 || (index === 0 && found > 0)) return null;
    if (index > 0) filled.push(text.slice(at, found).trim());
    at = found + piece.length;
  }
  return [...filled, text.slice(at).trim()];
}
