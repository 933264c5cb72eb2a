// Separates an output that the host cut from the host's notice.
import { byteLength } from "./limits.ts";

/** The part of a text that the host left after its own cut, without the host's notice. */
export type HostCut =
  /** The shell's: the end of the file; `closing` is the host's own note, which is not in the file. */
  | { readonly kind: "tail"; readonly tail: string; readonly closing: string }
  /** The host keeps the beginning of every other tool's output. */
  | { readonly kind: "head"; readonly head: string };

const SHELL_NOTE = "\n\n<shell_metadata>\n";
const SHELL_NOTE_END = "\n</shell_metadata>";
const COUNT = /([\s\S]*)\n\n\.\.\.\d+ (?:bytes|lines) truncated\.\.\.$/;

/**
 * Lists the possible readings of an output that the host cut, likeliest first: a command may print text
 * like the host's note, so that only the file shows which it is. Returns no reading where the host's
 * notice with this path is not where the host puts it.
 */
export function hostCuts(output: string, path: string): readonly HostCut[] {
  const shell = `...output truncated...\n\nFull output saved to: ${path}\n\n`;
  if (output.startsWith(shell)) return shellCuts(output.slice(shell.length));
  const said = `\n\nThe tool call succeeded but the output was truncated. Full output saved to: ${path}\n`;
  const at = output.lastIndexOf(said);
  if (at === -1) return [];
  const advice = output.slice(at + said.length);
  const head = COUNT.exec(output.slice(0, at))?.[1];
  // Text after the host's one line of advice is not the host's.
  if (head === undefined || !advice.startsWith("Use ") || advice.includes("\n")) return [];
  return [{ kind: "head", head }];
}

function shellCuts(rest: string): readonly HostCut[] {
  const at = rest.endsWith(SHELL_NOTE_END) ? rest.lastIndexOf(SHELL_NOTE) : -1;
  const readings = at === -1 ? [rest.length] : [at, rest.length];
  return readings.map((end) => ({
    kind: "tail",
    tail: toShownText(rest.slice(0, end)),
    closing: rest.slice(end),
  }));
}

/** The host shows nothing of an ended last line that is over the limit by itself. */
function toShownText(said: string): string {
  return said === "(no output)" ? "" : said;
}

/** Counts the bytes of the file that show whether a cut is read rightly. */
export function countCutBytes(cut: HostCut): number {
  return byteLength(cut.kind === "head" ? cut.head : cut.tail);
}
