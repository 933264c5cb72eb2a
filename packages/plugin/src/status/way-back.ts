// How a user gets memories back out of a damaged database, in words.
import { asInstalled } from "../log/command-line.ts";

/** In sentences, with lines to copy; `damaged` is where the file lies now. */
export function wayBack(damaged: string): string {
  const [file, saved] = [damaged, `${damaged}.recovered`].map(inShell);
  return [
    "Your memories, notes and reminders were in that file.",
    `To get back what SQLite can still read of them: sqlite3 ${file} .recover | sqlite3 ${saved}`,
    `and then in each project: ${asInstalled(`memory export memories.md --db ${saved}`)} && ${asInstalled("memory import memories.md")}`,
  ].join(" ");
}

/** Bare where that is safe: reports shorten the home to ~, which no shell reads in quotes. */
function inShell(path: string): string {
  return /^[\w./~:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
