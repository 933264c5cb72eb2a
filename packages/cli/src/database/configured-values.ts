// What the user's own configuration says, as far as the command line needs it.
import { readJsonc } from "../../../plugin/src/config/jsonc.ts";
import { IN_OPENCODE, isOurs, type KnownSpecs } from "../setup/plugin-identity.ts";

/** A plugin that is gone reads no options. */
const PLUGIN: KnownSpecs = { listing: IN_OPENCODE, written: new Set() };

/** A configuration of ours; null where it can't be read. */
export function configIn(text: string): unknown {
  const parsed = readJsonc(text);
  return parsed.kind === "value" ? parsed.value : null;
}

/** Our options in the `plugin` list of a config file of the host; null where there are none. */
export function optionsIn(text: string, file: string): unknown {
  const list = ownField(configIn(text), "plugin");
  if (!Array.isArray(list)) return null;
  const found = list.map((entry: unknown): unknown => {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") return null;
    return isOurs(entry[0], file, PLUGIN) ? entry[1] : null;
  });
  return found.findLast((options) => options !== null) ?? null;
}

/** `storage.path` of a configuration; null where it says nothing. */
export function storagePathIn(config: unknown): string | null {
  const path = ownField(ownField(config, "storage"), "path");
  return typeof path === "string" && path !== "" ? path : null;
}

export function ownField(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return null;
  return Object.getOwnPropertyDescriptor(value, key)?.value ?? null;
}
