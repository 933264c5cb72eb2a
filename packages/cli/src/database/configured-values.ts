// Reads what the command line needs from the user's own configuration.
import { readJsonc } from "@session-runtime/opencode/config/jsonc";
import { isOurs, type KnownSpecs, OPENCODE_LISTING } from "../setup/plugin-identity.ts";

/** A missing plugin reads no options. */
const PLUGIN: KnownSpecs = { listing: OPENCODE_LISTING, written: new Set() };

/** Returns a configuration of ours; null where it can't be read. */
export function configIn(text: string): unknown {
  const parsed = readJsonc(text);
  return parsed.kind === "value" ? parsed.value : null;
}

/** Returns our options in the `plugin` list of a host's config file; null where there are none. */
export function optionsIn(text: string, file: string): unknown {
  const list = ownField(configIn(text), "plugin");
  if (!Array.isArray(list)) return null;
  const found = list.map((entry: unknown): unknown => {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") return null;
    return isOurs(entry[0], file, PLUGIN) ? entry[1] : null;
  });
  return found.findLast((options) => options !== null) ?? null;
}

/** Returns a configuration's `storage.path`; null where it sets none. */
export function storagePathIn(config: unknown): string | null {
  const path = ownField(ownField(config, "storage"), "path");
  return typeof path === "string" && path !== "" ? path : null;
}

export function ownField(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return null;
  return Object.getOwnPropertyDescriptor(value, key)?.value ?? null;
}
