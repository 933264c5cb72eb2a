// Explains how a user gets memories back out of a damaged database.
import { renderInstalledCommand } from "../log/notices.ts";

/** Returns recovery advice with commands to copy; `damaged` is the damaged database's current path. */
export function explainRecovery(damaged: string): string {
  const exported = renderInstalledCommand(
    `memory export memories.md --db ${quoteForShell(damaged)}`,
  );
  return [
    "Your memories and notes were in that file.",
    `To get back what can still be read of them, in each project: ${exported} && ${renderInstalledCommand("memory import memories.md")}`,
  ].join(" ");
}

/** Leaves a safe path unquoted: reports shorten the home to ~, which no shell expands in quotes. */
function quoteForShell(path: string): string {
  return /^[\w./~:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
