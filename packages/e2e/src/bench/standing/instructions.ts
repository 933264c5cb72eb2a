// What the user says once and means for the rest of the session, in every way in which one can say it.

export const WAYS = [
  "short",
  "in a long prompt",
  "after a pasted log",
  "answer to a question",
  "argument of a command",
  "in German",
  "in Chinese",
  "takes one back",
] as const;
export type Delivery = (typeof WAYS)[number];

export interface Instruction {
  readonly way: Delivery;
  /** As it was typed. */
  readonly text: string;
  /** The model does as it should only where this stands, too: it came later and takes the other back. */
  readonly takenBackBy: string | null;
}

const TAKEN_BACK = "Put a line into NEWS.md for each thing that you change.";
const TAKES_BACK = "Forget the lines in NEWS.md after all: the release script writes them now.";

const TEXTS: readonly (readonly [Delivery, string])[] = [
  ["short", "Leave everything below db/migrations alone."],
  ["after a pasted log", "Whatever else fails there, never touch the retry limit of the queue."],
  ["in a long prompt", "Money is always kept in whole cents, never as a float."],
  ["argument of a command", "Use pnpm for all of this, npm breaks our lock file."],
  ["short", TAKEN_BACK],
  ["answer to a question", "Postgres 14 has to keep working until March"],
  ["in German", "Bitte keine neuen Abhängigkeiten, ohne vorher zu fragen."],
  ["in a long prompt", "If a test is slow, mark it with @slow and do not delete it."],
  ["short", "Names of columns stay in snake_case, in the code too."],
  ["after a pasted log", "Lines with a customer's address in them must not get into any fixture."],
  ["in Chinese", "所有对外的错误信息都要有中文和英文两种。"],
  ["argument of a command", "Do not run the whole suite, it takes forty minutes on this machine."],
  ["answer to a question", "Only the admin page may show the raw tokens"],
  [
    "in a long prompt",
    "The public functions of src/billing keep their signatures until version 5.",
  ],
  ["short", "Ask me before you delete a file."],
  ["takes one back", TAKES_BACK],
  ["after a pasted log", "Treat each warning of the linker as an error, from today."],
  ["in German", "Kommentare im Code schreiben wir auf Englisch, Commits auf Deutsch."],
  ["in a long prompt", "Dates go over the wire as UTC, with seconds and without milliseconds."],
  ["argument of a command", "Every new endpoint needs a rate limit of at most 20 per minute."],
  ["short", "Never push to the branch release-7."],
  ["answer to a question", "Keep the old header name as an alias for two releases"],
  ["in a long prompt", "The import job may take at most 300 MB of memory."],
  ["after a pasted log", "Count these timeouts as passes until the new proxy is in place."],
];

/** In the order in which they are given. */
export const INSTRUCTIONS: readonly Instruction[] = TEXTS.map(([way, text]) => ({
  way,
  text,
  takenBackBy: text === TAKEN_BACK ? TAKES_BACK : null,
}));

/** Whether a model that sees these words, and no others, does what the user wants. */
export function isObeyed({ text, takenBackBy }: Instruction, seen: string): boolean {
  if (takenBackBy === null) return seen.includes(text);
  // Whoever sees neither does nothing wrong, but knows nothing: that doesn't count.
  return seen.lastIndexOf(takenBackBy) > seen.lastIndexOf(text);
}
