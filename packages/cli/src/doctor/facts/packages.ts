// Copies of our package in the host's cache.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Environment, placesOf } from "../../host/places.ts";
import { PLUGIN_NAME, readManifest } from "../../setup/plugin-identity.ts";

/** A copy of our package that the host fetched once for a spec, and keeps. */
export interface CachedPackage {
  readonly folder: string;
  /** What the config must say so that the host takes this copy. */
  readonly spec: string;
  readonly version: string;
}

export function cachedPackages(env: Environment): readonly CachedPackage[] {
  const [scope = "", name = ""] = PLUGIN_NAME.split("/");
  const parent = join(placesOf(env).hostPackages, scope);
  return namesIn(parent)
    .filter((entry) => entry === name || entry.startsWith(`${name}@`))
    .map((entry) => {
      const folder = join(parent, entry);
      const version = readManifest(join(folder, "node_modules", PLUGIN_NAME))?.version;
      return { folder, spec: `${scope}/${entry}`, version: String(version ?? "none") };
    });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
