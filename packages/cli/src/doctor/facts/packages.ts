// Copies of our package in the host's cache.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Environment, resolvePlaces } from "../../host/places.ts";
import { PLUGIN_NAME, readManifest } from "../../setup/plugin-identity.ts";
import { systemReason } from "../../system-error.ts";

/** A copy of our package that the host fetched once for a spec, and keeps. */
export interface CachedPackage {
  readonly folder: string;
  /** What the config must say so that the host takes this copy. */
  readonly spec: string;
  /** Null where the copy is not whole. */
  readonly version: string | null;
}

export function cachedPackages(env: Environment): readonly CachedPackage[] {
  const [scope = "", name = ""] = PLUGIN_NAME.split("/");
  const parent = join(resolvePlaces(env).hostPackages, scope);
  return namesIn(parent)
    .filter((entry) => entry === name || entry.startsWith(`${name}@`))
    .map((entry) => {
      const folder = join(parent, entry);
      const version = readManifest(join(folder, "node_modules", PLUGIN_NAME))?.version;
      return {
        folder,
        spec: `${scope}/${entry}`,
        version: typeof version === "string" ? version : null,
      };
    });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Not there, not a folder, or closed to us: then the host has no copy there either.
    if (systemReason(error) !== null) return [];
    throw error;
  }
}
