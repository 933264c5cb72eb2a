// Carries out the safe repairs.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { filesOf } from "../host/config-places.ts";
import { type Environment, placesOf } from "../host/places.ts";
import { planSetup } from "../setup/plan.ts";
import { bringsTerminalPart } from "../setup/resolve-wish.ts";
import { writeChanges } from "../setup/write-changes.ts";
import type { Finding, Repair } from "./finding.ts";

const PRIVATE = 0o600;

/** Does the safe repairs among `findings`; tells what was done, a line each. */
export function repairAll(
  findings: readonly Finding[],
  directory: string,
  env: Environment,
): readonly string[] {
  return findings.flatMap(({ repair }) =>
    repair === null ? [] : [doRepair(repair, directory, env)],
  );
}

function doRepair(repair: Repair, directory: string, env: Environment): string {
  switch (repair.kind) {
    case "make-private": {
      const files = repair.paths.flatMap((path) => [path, `${path}-wal`, `${path}-shm`]);
      for (const file of files.filter(existsSync)) chmodSync(file, PRIVATE);
      return `Only you can read ${repair.paths.join(" and ")} now.`;
    }
    case "remove-cached-package": {
      const place = relative(placesOf(env).hostPackages, repair.folder);
      if (place === "" || place.startsWith(".."))
        throw new Error(`${repair.folder} is no cached package.`);
      rmSync(repair.folder, { recursive: true, force: true });
      return `${repair.folder} is removed; OpenCode fetches what it needs.`;
    }
    case "set-up": {
      const files = filesOf(repair.scope, env, directory);
      const hasTerminalPart = bringsTerminalPart(repair.spec, env);
      const settings = new Map<never, string>();
      const changes = planSetup(files, { spec: repair.spec, hasTerminalPart, settings });
      writeChanges(changes, env);
      return `Changed: ${changes.map(({ path }) => path).join(", ")}.`;
    }
  }
}
