// The plugin spec as it will be written into the config.
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
  IN_OPENCODE,
  IN_PI,
  isPathSpec,
  type Listing,
  manifestAround,
  PINNED_EXTENSION,
  PINNED_SPEC,
  pathOfSpec,
  readManifest,
} from "./plugin-identity.ts";

/**
 * A spec as it will stand in the config: paths absolute, so that it means the same from everywhere.
 */
export function resolveSpec(
  wanted: string | undefined,
  directory: string,
  listing: Listing,
): string {
  if (wanted === undefined) {
    return packageOfClone(listing) ?? (listing === IN_PI ? PINNED_EXTENSION : PINNED_SPEC);
  }
  const path = resolve(directory, wanted);
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  // To npm `a/b` is a repository on GitHub; who has such a folder here means the folder.
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

/** Whether a spec that a user gives is that of Pi's extension. */
export function isForPi(wanted: string, directory: string): boolean {
  if (wanted.startsWith("npm:")) return true;
  return manifestAround(resolve(directory, wanted))?.name === EXTENSION_NAME;
}

export function pluginOfClone(): string | null {
  return packageOfClone(IN_OPENCODE);
}

/** The package beside a command line that runs from a clone or a packed archive: what is there is what is meant. */
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

/** Where an editor finds the schema of our settings; null where the plugin brings none. */
export function findSettingsSchema(spec: string): string | null {
  const name = "config.schema.json";
  if (!isPathSpec(spec)) return `https://unpkg.com/${spec}/${name}`;
  const path = pathOfSpec(spec, "/");
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : null;
  const schema = folder === null ? null : join(folder, name);
  return schema !== null && existsSync(schema) ? pathToFileURL(schema).href : null;
}

/** Whether the plugin brings a part for the terminal UI; of our own version that is known. */
export function bringsTerminalPart(spec: string, env: Environment): boolean {
  if (spec === PINNED_SPEC) return "./tui" in pluginManifest.exports;
  if (!isPathSpec(spec)) return hasTerminalPart(packageFolder(spec, env));
  return hasTerminalPart(spec);
}
