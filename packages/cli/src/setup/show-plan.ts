// The planned changes as a diff.
import { homedir } from "node:os";
import { renderDiff } from "../terminal/diff.ts";
import type { Style } from "../terminal/style.ts";
import type { FileChange } from "./file-change.ts";

/** The planned changes as a reader would like to see them: file by file, as a diff. */
export function showChanges(changes: readonly FileChange[], style: Style): string {
  return changes
    .map(({ path, before, after }) => {
      const heading = `${style.bold(shortPath(path))} ${style.dim(`(${kindOf({ before, after })})`)}`;
      return `${heading}\n${renderDiff(before ?? "", after ?? "", style)}`;
    })
    .join("\n\n");
}

type ChangeKind = "new file" | "changed" | "removed";

export function kindOf({ before, after }: Pick<FileChange, "before" | "after">): ChangeKind {
  if (before === null) return "new file";
  return after === null ? "removed" : "changed";
}

/** `~` stands for the home folder, as in a shell. */
export function shortPath(path: string): string {
  const home = process.env.HOME || homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
