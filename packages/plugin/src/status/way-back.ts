// How a user gets memories back out of a damaged database, in words.
import { asInstalled } from "../log/command-line.ts";

/** In sentences, with lines to copy; `damaged` is where the file lies now. */
export function wayBack(damaged: string): string {
  const exported = asInstalled(`memory export memories.md --db ${inShell(damaged)}`);
  return [
    "Your memories and notes were in that file.",
    `To get back what can still be read of them, in each project: ${exported} && ${asInstalled("memory import memories.md")}`,
  ].join(" ");
}

/** Bare where that is safe: reports shorten the home to ~, which no shell reads in quotes. */
function inShell(path: string): string {
  return /^[\w./~:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
