// Runs `setup --remove`.
import { existsSync, rmdirSync } from "node:fs";
import { EXIT, type ExitCode } from "../cli-error.ts";
import { type Scope, scopeFiles } from "../host/config-places.ts";
import { piSettings } from "../host/pi-places.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { typed } from "../invocation.ts";
import { errorCode } from "../system-error.ts";
import { printLine, type Terminal } from "../terminal/terminal.ts";
import { applyChanges } from "./apply.ts";
import { journalPath, readJournal, specsOfSetup } from "./journal.ts";
import type { Mode } from "./mode.ts";
import { type Place, planRemoval } from "./plan-removal.ts";
import { OPENCODE_2_LISTING, OPENCODE_LISTING, PI_LISTING } from "./plugin-identity.ts";
import { confirmContinue } from "./questions.ts";
import type { HostWish } from "./request.ts";
import { printOutcome, shortPath, showChanges } from "./show-plan.ts";

interface RemovalRequest {
  readonly scope: Scope;
  readonly hosts: HostWish;
  readonly mode: Mode;
  readonly directory: string;
  readonly output: "text" | "json";
}

/**
 * Runs `setup --remove`. It needs no host, because a user who has uninstalled the host must be able to remove us,
 * too.
 */
export async function remove(request: RemovalRequest, terminal: Terminal): Promise<ExitCode> {
  const { scope, mode, output } = request;
  const { runtimeData } = resolvePlaces(terminal.env);
  const journalFile = journalPath(runtimeData);
  const journal = readJournal(journalFile);
  const removal = planRemoval(placesFor(request, terminal.env), journal, specsOfSetup(journalFile));
  const isText = output === "text";
  if (isText && removal.changes.length > 0) {
    printLine(terminal, `${showChanges(removal.changes, terminal.style)}\n`);
  }
  if (removal.changes.length > 0 && mode === "ask") await confirmContinue("Remove this?");
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
    const facts = { spec: null, host: null, pi: null, works: null, isWritten, notes };
    printOutcome(terminal, { action: "remove", scope, changes, ...facts });
  }
  return EXIT.done;

  /** Names the hosts to restart. */
  function changedHosts(): string {
    const { directory } = request;
    const pi = piSettings(scope, terminal.env, directory);
    const isPi = removal.changes.some(({ path }) => path === pi);
    const isOpenCode = removal.changes.some(({ path }) => path !== pi);
    return [...(isOpenCode ? ["OpenCode"] : []), ...(isPi ? ["Pi"] : [])].join(" or ");
  }

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
    return [
      `${terminal.style.good("✔")} Removed. Restart ${changedHosts()} if it is running.`,
      ...notes,
    ];
  }
}

/** Lists every file of the requested hosts, whether or not the hosts still exist. */
function placesFor(
  { scope, hosts, directory }: RemovalRequest,
  env: Environment,
): readonly Place[] {
  const { server, terminal, settings } = scopeFiles(scope, env, directory);
  const openCode = [
    ...server.map((path) => ({ path, listings: [OPENCODE_LISTING, OPENCODE_2_LISTING] })),
    ...terminal.map((path) => ({ path, listings: [OPENCODE_LISTING] })),
    { path: settings, listings: [] },
  ];
  const pi = [{ path: piSettings(scope, env, directory), listings: [PI_LISTING] }];
  switch (hosts) {
    case "opencode":
      return openCode;
    case "pi":
      return pi;
    case "found":
      return [...openCode, ...pi];
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // The folder is not empty, or was never made.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}
