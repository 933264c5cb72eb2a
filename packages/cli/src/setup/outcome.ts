// The result as JSON.
import type { Scope } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { renderDiff } from "../terminal/diff.ts";
import { PLAIN } from "../terminal/style.ts";
import { printJson, type Terminal } from "../terminal/terminal.ts";
import type { FileChange } from "./file-change.ts";
import { kindOf } from "./show-plan.ts";

/** What a run of setup came to, as `--json` prints it. */
export interface Outcome {
  readonly action: "setup" | "remove";
  readonly scope: Scope;
  readonly spec: string | null;
  readonly host: FoundHost | null;
  readonly changes: readonly FileChange[];
  readonly isWritten: boolean;
  /** Whether the plugin was seen at work in the host; null if that was not tried. */
  readonly works: boolean | null;
  readonly notes: readonly string[];
}

export function printOutcome(terminal: Terminal, { changes, ...outcome }: Outcome): void {
  printJson(terminal, {
    ...outcome,
    host: outcome.host && { path: outcome.host.path, version: outcome.host.version },
    changes: changes.map(({ path, before, after }) => ({
      path,
      kind: kindOf({ before, after }),
      diff: renderDiff(before ?? "", after ?? "", PLAIN).split("\n"),
    })),
  });
}
