// Recognises a host's list entries that are Session Runtime.
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFields, type UnknownFields } from "@session-runtime/opencode/context/fields";
import piManifest from "../../../pi/package.json" with { type: "json" };
import manifest from "../../../plugin/package.json" with { type: "json" };
import {
  type ListForm,
  PACKAGE_LIST,
  PLUGIN_LIST,
  PLUGINS_LIST,
} from "../config-file/plugin-list.ts";
import { errorCode } from "../system-error.ts";

export const PLUGIN_NAME: string = manifest.name;
export const EXTENSION_NAME: string = piManifest.name;

/** Says how a host's config names the package that is made for it. */
export interface Listing {
  readonly packageName: string;
  readonly form: ListForm;
  /** The package's folder in a clone. */
  readonly folder: string;
}

export const OPENCODE_LISTING: Listing = {
  packageName: PLUGIN_NAME,
  form: PLUGIN_LIST,
  folder: "plugin",
};

/** The form of the list that only OpenCode 2 knows. */
export const OPENCODE_2_LISTING: Listing = { ...OPENCODE_LISTING, form: PLUGINS_LIST };

export const PI_LISTING: Listing = {
  packageName: EXTENSION_NAME,
  form: PACKAGE_LIST,
  folder: "pi",
};

/** Holds the facts that identify an entry: its host's listing, and the specs that `setup` has written. */
export interface KnownSpecs {
  readonly listing: Listing;
  readonly written: ReadonlySet<string>;
}

/** The spec that `setup` adds: the plugin of this very version. */
export const PINNED_SPEC = `${manifest.name}@${manifest.version}`;
/** The spec that `setup` adds for Pi's extension. */
export const PINNED_EXTENSION = `npm:${piManifest.name}@${piManifest.version}`;

/** Says whether a spec is a path, by the host's own rule. */
export function isPathSpec(spec: string): boolean {
  return (
    spec.startsWith("file://") ||
    spec.startsWith(".") ||
    isAbsolute(spec) ||
    /^[A-Za-z]:[\\/]/.test(spec)
  );
}

/** Returns the path that a path spec names, relative to its config file. */
export function pathOfSpec(spec: string, configFile: string): string {
  const isUrl = spec.startsWith("file://") && URL.canParse(spec) && new URL(spec).host === "";
  return isUrl ? fileURLToPath(spec) : resolve(dirname(configFile), spec);
}

/**
 * Says whether a spec names a path that does not exist. A path with a variable, which only the host resolves, counts
 * as existing.
 */
export function isGone(spec: string, configFile: string): boolean {
  if (!isPathSpec(spec) || spec.includes("{env:") || spec.includes("{file:")) return false;
  return !existsSync(pathOfSpec(spec, configFile));
}

/** Returns the package name of an npm spec: `@a/b` for `@a/b@1`. */
export function nameOfSpec(spec: string): string {
  return /^(@[^/]+\/[^@]+|[^@]+)/.exec(spec)?.[1] ?? spec;
}

/**
 * Says whether an entry is Session Runtime: by its name, or by the package that its path is in. A path that is gone
 * is recognised by what `setup` has written, or by the name of a folder in it.
 */
export function isOurs(
  spec: string,
  configFile: string,
  { listing, written }: KnownSpecs,
): boolean {
  const { packageName } = listing;
  if (!isPathSpec(spec)) return nameOfSpec(spec.replace(/^npm:/, "")) === packageName;
  const path = pathOfSpec(spec, configFile);
  if (manifestAround(path)?.name === packageName) return true;
  return isGone(spec, configFile) && (written.has(spec) || namesUs(path, listing));
}

/**
 * Says whether a path looks like ours: a clone or what is in it, an unpacked archive, or the package in a
 * node_modules.
 */
function namesUs(path: string, { packageName, folder }: Listing): boolean {
  const own = packageName.split("/").at(-1);
  const inside = `[\\\\/]packages[\\\\/]${folder}(?:[\\\\/].*)?|[\\\\/]${own}`;
  return new RegExp(`(?:^|[\\\\/])@?session-runtime[^\\\\/]*(?:${inside})?$`).test(path);
}

/**
 * Counts the last parts of a path that stay the same when a clone moves: its own folder, and the plugin's in
 * it.
 */
const MOVED_PARTS = 3;

/** Says whether a missing path ends like another one, as when a clone has moved and kept its name. */
export function isMovedFrom(gone: string, spec: string, configFile: string): boolean {
  if (!isGone(gone, configFile) || !isPathSpec(spec)) return false;
  const [before, now] = [gone, spec].map((one) =>
    pathOfSpec(one, configFile).split(/[\\/]/).filter(Boolean).slice(-MOVED_PARTS),
  );
  return before?.length === MOVED_PARTS && before.join("/") === now?.join("/");
}

/** Says whether a spec's target has a part for the terminal UI, which only a package can have. */
export function hasTerminalPart(packageFolder: string): boolean {
  const exported = readManifest(packageFolder)?.exports;
  return typeof exported === "object" && exported !== null && "./tui" in exported;
}

export function readManifest(folder: string): UnknownFields | null {
  try {
    return parseFields(readFileSync(join(folder, "package.json"), "utf8"));
  } catch (error) {
    // ENOTDIR means that the path is a file.
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}

/** Returns the nearest package.json, upward from a path; null where there is none. */
export function manifestAround(path: string): UnknownFields | null {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = readManifest(folder);
    if (found !== null) return found;
    if (dirname(folder) === folder) return null;
  }
}
