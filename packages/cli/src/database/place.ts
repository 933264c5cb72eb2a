// Finds the runtime's database as the plugin does.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import {
  readPathEnvironment,
  resolveDatabasePath,
} from "@session-runtime/opencode/storage/location";
import { piFolder } from "../host/pi-places.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";

/** Says where the runtime's database is, and what decided that. */
export interface DatabasePlace {
  readonly path: string;
  readonly chosenBy: "--db" | "storage.path" | "SESSION_RUNTIME_DB" | "default";
}

/** Finds the database as the plugin does, unless `given` (of --db) names another. */
export async function findDatabase(
  given: string | undefined,
  env: Environment,
): Promise<DatabasePlace> {
  if (given !== undefined) return { path: resolve(given), chosenBy: "--db" };
  const configured = await configuredPath(env);
  if (configured !== null) return { path: configured, chosenBy: "storage.path" };
  const path = resolveDatabasePath({ ...readPathEnvironment(), variables: env });
  return { path, chosenBy: env.SESSION_RUNTIME_DB ? "SESSION_RUNTIME_DB" : "default" };
}

async function configuredPath(env: Environment): Promise<string | null> {
  const configs = await userConfigs(env);
  if (configs.length === 0) return null;
  const { storagePathIn } = await import("./configured-values.ts");
  const chosen = configs.map(storagePathIn).findLast((path) => path !== null) ?? null;
  return chosen?.startsWith("~/")
    ? join(resolvePlaces(env).home || homedir(), chosen.slice(2))
    : chosen;
}

/** Reads the user's own files, later ones win, and last the plugin's options in the host's config. */
export async function userConfigs(env: Environment): Promise<readonly unknown[]> {
  const own = files(
    [piFolder(env), ...configFolders(env)],
    ["session-runtime.json", "session-runtime.jsonc"],
  );
  const host = await hostOptions(env);
  if (own.length === 0) return host;
  const { configIn } = await import("./configured-values.ts");
  return [...own.map(({ text }) => configIn(text)), ...host];
}

/** Reads the plugin's options in the host's own config files; later ones win. */
export async function hostOptions(env: Environment): Promise<readonly unknown[]> {
  const host = files(configFolders(env), ["config.json", "opencode.json", "opencode.jsonc"]);
  if (host.length === 0) return [];
  const { optionsIn } = await import("./configured-values.ts");
  return host.map(({ path, text }) => optionsIn(text, path));
}

function configFolders(env: Environment): readonly string[] {
  const { hostConfig } = resolvePlaces(env);
  return [hostConfig, ...(env.OPENCODE_CONFIG_DIR ? [env.OPENCODE_CONFIG_DIR] : [])];
}

interface ConfigText {
  readonly path: string;
  readonly text: string;
}

/** Returns the readable files; doctor reports what is wrong with the others. */
function files(folders: readonly string[], names: readonly string[]): readonly ConfigText[] {
  return folders.flatMap((folder) =>
    names.flatMap((name) => {
      const path = join(folder, name);
      try {
        return [{ path, text: readFileSync(path, "utf8") }];
      } catch {
        return [];
      }
    }),
  );
}
