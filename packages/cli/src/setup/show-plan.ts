// Shows the planned changes as a diff, and a run's result as JSON.
import { homedir } from "node:os";
import type { Scope } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { renderDiff } from "../terminal/diff.ts";
import { PLAIN, type Style } from "../terminal/style.ts";
import { printJson, type Terminal } from "../terminal/terminal.ts";
import type { FileChange } from "./file-change.ts";

/** Renders the planned changes, file by file, as a diff. */
export function showChanges(changes: readonly FileChange[], style: Style): string {
  return changes
    .map(({ path, before, after }) => {
      const heading = `${style.bold(shortPath(path))} ${style.dim(`(${changeKind({ before, after })})`)}`;
      return `${heading}\n${renderDiff(before ?? "", after ?? "", style)}`;
    })
    .join("\n\n");
}

type ChangeKind = "new file" | "changed" | "removed";

export function changeKind({ before, after }: Pick<FileChange, "before" | "after">): ChangeKind {
  if (before === null) return "new file";
  return after === null ? "removed" : "changed";
}

/** Shortens the home folder to `~`, as a shell does. */
export function shortPath(path: string): string {
  const home = process.env.HOME || homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Holds the result of a run of setup, as `--json` prints it. */
export interface Outcome {
  readonly action: "setup" | "remove";
  readonly scope: Scope;
  readonly spec: string | null;
  readonly host: FoundHost | null;
  readonly changes: readonly FileChange[];
  /** Pi's part of the result; null where Pi was not set up. */
  readonly pi: {
    readonly path: string;
    readonly version: string;
    readonly spec: string;
    readonly works: boolean | null;
  } | null;
  readonly isWritten: boolean;
  /** Says whether the plugin was seen working in the host; null if that was not tried. */
  readonly works: boolean | null;
  readonly notes: readonly string[];
}

export function printOutcome(terminal: Terminal, { changes, ...outcome }: Outcome): void {
  printJson(terminal, {
    ...outcome,
    host: outcome.host && { path: outcome.host.path, version: outcome.host.version },
    changes: changes.map(({ path, before, after }) => ({
      path,
      kind: changeKind({ before, after }),
      diff: renderDiff(before ?? "", after ?? "", PLAIN).split("\n"),
    })),
  });
}
