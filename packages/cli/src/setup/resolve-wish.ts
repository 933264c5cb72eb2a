// Resolves the plugin's spec as it will be written into the config.
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import pluginManifest from "../../../plugin/package.json" with { type: "json" };
import { CliError, EXIT } from "../cli-error.ts";
import type { Environment } from "../host/places.ts";
import { packedBeside } from "../npx-package.ts";
import { packageFolder } from "./fetch-package.ts";
import {
  EXTENSION_NAME,
  hasTerminalPart,
  isPathSpec,
  type Listing,
  manifestAround,
  OPENCODE_LISTING,
  PI_LISTING,
  PINNED_EXTENSION,
  PINNED_SPEC,
  pathOfSpec,
  readManifest,
} from "./plugin-identity.ts";

/**
 * Returns the spec for the config, with absolute paths, so that it means the same from everywhere.
 * @throws CliError
 */
export function resolveSpec(
  wanted: string | undefined,
  directory: string,
  listing: Listing,
): string {
  if (wanted === undefined) {
    return packageOfClone(listing) ?? (listing === PI_LISTING ? PINNED_EXTENSION : PINNED_SPEC);
  }
  const path = resolve(directory, wanted);
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  // npm takes `a/b` for a repository on GitHub; if such a folder exists here, the folder is meant.
  const isFolderHere = isThere && wanted.includes("/") && !wanted.startsWith("@");
  if (!isPathSpec(wanted) && !isFolderHere) return wanted;
  if (isThere || wanted.startsWith("file://")) return wanted.startsWith("file://") ? wanted : path;
  throw new CliError(
    "spec-missing",
    `There is nothing at ${path}.`,
    "--spec takes the folder of the plugin's package, its entry file, or an npm spec. Nothing was changed.",
    EXIT.usage,
  );
}

/** Says whether a user's spec names Pi's extension. */
export function isForPi(wanted: string, directory: string): boolean {
  if (wanted.startsWith("npm:")) return true;
  return manifestAround(resolve(directory, wanted))?.name === EXTENSION_NAME;
}

export function pluginOfClone(): string | null {
  return packageOfClone(OPENCODE_LISTING);
}

/** Returns the package beside a command line that runs from a clone or a packed archive; null where there is none. */
export function packageOfClone(
  { packageName, folder }: Listing,
  script: string | undefined = process.argv[1],
): string | null {
  if (script === undefined) return null;
  const places = [resolve(dirname(script), "../..", folder), packedBeside(script, folder)];
  return (
    places.find((place) => place !== null && readManifest(place)?.name === packageName) ?? null
  );
}

/** Returns the URL where an editor finds the schema of our settings; null where the plugin has none. */
export function findSettingsSchema(spec: string): string | null {
  const name = "config.schema.json";
  if (!isPathSpec(spec)) return `https://unpkg.com/${spec}/${name}`;
  const path = pathOfSpec(spec, "/");
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : null;
  const schema = folder === null ? null : join(folder, name);
  return schema !== null && existsSync(schema) ? pathToFileURL(schema).href : null;
}

/** Says whether the plugin has a part for the terminal UI, which is known for our own version. */
export function bringsTerminalPart(spec: string, env: Environment): boolean {
  if (spec === PINNED_SPEC) return "./tui" in pluginManifest.exports;
  if (!isPathSpec(spec)) return hasTerminalPart(packageFolder(spec, env));
  return hasTerminalPart(spec);
}
