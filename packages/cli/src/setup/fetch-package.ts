// Makes the host fetch the plugin's package into its own cache.
import { join } from "node:path";
import { CliError } from "../cli-error.ts";
import type { FoundHost } from "../host/find-host.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { runProgram } from "../host/run-program.ts";
import {
  FETCHES_NOTHING,
  inThrowawayFolder,
  NO_OTHER_CONFIG,
  settleFolder,
} from "../host/throwaway.ts";
import { nameOfSpec, readManifest } from "./plugin-identity.ts";

const FETCH_TIMEOUT_MS = 180_000;

/** Returns the folder into which the host fetches the package of `spec`. */
export function packageFolder(spec: string, env: Environment): string {
  return join(resolvePlaces(env).hostPackages, spec, "node_modules", nameOfSpec(spec));
}

/**
 * Has the host fetch a package from npm into its own cache, before any config names it: its own
 * `opencode plugin` does that by its own rules (npmrc, proxies, no install scripts). It also edits
 * config files, which it may do in a throwaway folder.
 */
export async function fetchPackage(host: FoundHost, spec: string, env: Environment): Promise<void> {
  if (readManifest(packageFolder(spec, env)) !== null) return;
  await inThrowawayFolder("fetch", async (folder) => {
    settleFolder(join(folder, "config/opencode"));
    const throwaway = {
      ...env,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
      XDG_STATE_HOME: join(folder, "state"),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      ...NO_OTHER_CONFIG,
      ...FETCHES_NOTHING,
    };
    const { exitCode, out, err } = await runProgram(host.path, ["plugin", spec, "--global"], {
      cwd: folder,
      env: throwaway,
      deadline: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    if (exitCode === 0 && readManifest(packageFolder(spec, env)) !== null) return;
    throw new CliError(
      "package-unavailable",
      `OpenCode can't install ${spec}: ${reasonIn(out + err)}`,
      "Check the network and your npm registry, or name a folder with --spec. Nothing was changed.",
    );
  });
}

/** Returns the last line that the host's own report marks as an error. */
function reasonIn(output: string): string {
  const marked = output.split("\n").filter((line) => line.startsWith("■"));
  const reasons = marked.map((line) => line.slice(1).trim());
  return reasons.at(-1) ?? "it did not say why.";
}
