// Explains how a user gets memories back out of a damaged database.
import { asInstalled } from "../log/notices.ts";

/** Returns sentences with lines to copy; `damaged` is where the file lies now. */
export function wayBack(damaged: string): string {
  const exported = asInstalled(`memory export memories.md --db ${inShell(damaged)}`);
  return [
    "Your memories and notes were in that file.",
    `To get back what can still be read of them, in each project: ${exported} && ${asInstalled("memory import memories.md")}`,
  ].join(" ");
}

/** Leaves a safe path unquoted: reports shorten the home to ~, which no shell expands in quotes. */
function inShell(path: string): string {
  return /^[\w./~:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
