// Lists the copies of our package in the host's cache.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Environment, resolvePlaces } from "../../host/places.ts";
import { PLUGIN_NAME, readManifest } from "../../setup/plugin-identity.ts";
import { systemReason } from "../../system-error.ts";

/** Describes a copy of our package that the host fetched once for a spec, and keeps. */
export interface CachedPackage {
  readonly folder: string;
  /** The spec in the config for which the host uses this copy. */
  readonly spec: string;
  /** The copy's version; null where the copy is incomplete. */
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
    // If the folder is missing, not a folder or unreadable, the host has no copy there either.
    if (systemReason(error) !== null) return [];
    throw error;
  }
}
