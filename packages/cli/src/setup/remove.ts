// `setup --remove`.
import { existsSync, rmdirSync } from "node:fs";
import { EXIT, type ExitCode } from "../cli-error.ts";
import { filesOf, type Scope } from "../host/config-places.ts";
import { placesOf } from "../host/places.ts";
import { typed } from "../invocation.ts";
import { codeOf } from "../system-error.ts";
import { printLine, type Terminal } from "../terminal/terminal.ts";
import { applyChanges } from "./apply.ts";
import { journalPath, readJournal, specsOfSetup } from "./journal.ts";
import type { Mode } from "./mode.ts";
import { planRemoval } from "./plan-removal.ts";
import { askToGoOn } from "./questions.ts";
import { printOutcome, shortPath, showChanges } from "./show-plan.ts";

interface RemovalRequest {
  readonly scope: Scope;
  readonly mode: Mode;
  readonly directory: string;
  readonly output: "text" | "json";
}

/** `setup --remove`. It needs no host: whoever has uninstalled it must get rid of us too. */
export async function remove(request: RemovalRequest, terminal: Terminal): Promise<ExitCode> {
  const { scope, mode, directory, output } = request;
  const { runtimeData } = placesOf(terminal.env);
  const journalFile = journalPath(runtimeData);
  const journal = readJournal(journalFile);
  const removal = planRemoval(
    filesOf(scope, terminal.env, directory),
    journal,
    specsOfSetup(journalFile),
  );
  const isText = output === "text";
  if (isText && removal.changes.length > 0) {
    printLine(terminal, `${showChanges(removal.changes, terminal.style)}\n`);
  }
  if (removal.changes.length > 0 && mode === "ask") await askToGoOn("Remove this?");
  const isWritten = mode !== "dry-run" && removal.changes.length > 0;
  if (mode !== "dry-run") {
    applyChanges(removal.changes, journalFile, { before: journal, after: removal.journal });
    for (const folder of new Set([...removal.folders, runtimeData])) removeIfEmpty(folder);
  }
  const notes = existsSync(runtimeData)
    ? [`Session data stays in ${shortPath(runtimeData)}. Delete that folder if you don't need it.`]
    : [];
  if (isText) for (const line of closing()) printLine(terminal, line);
  else {
    const { changes } = removal;
    const facts = { spec: null, host: null, works: null, isWritten, notes };
    printOutcome(terminal, { action: "remove", scope, changes, ...facts });
  }
  return EXIT.done;

  function closing(): readonly string[] {
    if (removal.changes.length === 0) {
      const other = scope === "global" ? " --project" : "";
      const command = typed(`setup --remove${other}`);
      const place = scope === "global" ? "this project's" : "your own";
      return [
        `The ${scope} config does not name Session Runtime: nothing to remove.`,
        `For ${place} config: ${command}`,
      ];
    }
    if (mode === "dry-run") return ["Nothing was changed (--dry-run)."];
    return [`${terminal.style.good("✔")} Removed. Restart OpenCode if it is running.`, ...notes];
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Others keep things there by now, or it was never made.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) throw error;
  }
}
