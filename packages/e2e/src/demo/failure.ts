// The words of a demo that fails: the step, the reason and what to do.

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/EADDRINUSE|port/i, "Another program has the port: end it, or try again."],
  [
    /timed? ?out|did not (?:start|answer)|not within/i,
    "The machine was too slow: try again when it is idle.",
  ],
  [/ENOSPC|no space/i, "The disk is full: make room, then try again."],
  [/EACCES|permission/i, "A folder can't be written: look at the rights of the clone and of /tmp."],
];
const OTHERWISE = "Try again; if it fails again, say so with this text: CONTRIBUTING.md, Bugs.";

export function failureText(error: unknown, step: string): string {
  const reason = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
  const advice = ADVICE.find(([said]) => said.test(reason))?.[1] ?? OTHERWISE;
  return `The demo failed at: ${step}\n  ${reason}\n  ${advice}`;
}

/** The step in a line of progress, without what moves the cursor; null: the text has none. */
export function parseStep(text: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences begin with one
  const plain = text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/g, "").trim();
  return plain === "" ? null : plain;
}
