// Carries out the safe repairs.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { scopeFiles } from "../host/config-places.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { writeChanges } from "../setup/apply.ts";
import { journalPath, specsOfSetup } from "../setup/journal.ts";
import { planSetup } from "../setup/plan.ts";
import { OPENCODE_LISTING } from "../setup/plugin-identity.ts";
import { bringsTerminalPart } from "../setup/resolve-wish.ts";
import type { Finding, Repair } from "./finding.ts";

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Performs the safe repairs among `findings`, and returns a line for each. */
export function repairAll(
  findings: readonly Finding[],
  directory: string,
  env: Environment,
): readonly string[] {
  return findings.flatMap(({ repair }) => (repair ? [doRepair(repair, directory, env)] : []));
}

function doRepair(repair: Repair, directory: string, env: Environment): string {
  switch (repair.kind) {
    case "make-private": {
      const files = repair.files.flatMap((path) => [path, `${path}-wal`, `${path}-shm`]);
      for (const file of files.filter(existsSync)) chmodSync(file, PRIVATE);
      for (const folder of repair.folders) chmodSync(folder, PRIVATE_FOLDER);
      return `Only you can use ${[...repair.files, ...repair.folders].join(" and ")} now.`;
    }
    case "remove-cached-package": {
      const place = relative(resolvePlaces(env).hostPackages, repair.folder);
      if (place === "" || place.startsWith(".."))
        throw new Error(`${repair.folder} is not in OpenCode's cache.`);
      rmSync(repair.folder, { recursive: true, force: true });
      return `Removed ${repair.folder}. OpenCode fetches what it needs.`;
    }
    case "set-up": {
      const files = scopeFiles(repair.scope, env, directory);
      const hasTerminalPart = bringsTerminalPart(repair.spec, env);
      const settings = new Map<never, string>();
      const wish = {
        spec: repair.spec,
        hasTerminalPart,
        settings,
        settingsSchema: null,
        takenOut: new Set<string>(),
      };
      const recorded = specsOfSetup(journalPath(resolvePlaces(env).runtimeData));
      const changes = planSetup(files, wish, recorded, OPENCODE_LISTING);
      writeChanges(changes, { specs: [repair.spec], launcher: null }, env);
      return `Changed: ${changes.map(({ path }) => path).join(", ")}.`;
    }
  }
}
