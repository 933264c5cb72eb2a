// The database's path as the user's configuration sets it.
import { readJsonc } from "../../../plugin/src/config/jsonc.ts";
import { isOurs } from "../setup/plugin-identity.ts";

/** A plugin that is gone reads no options. */
const NONE: ReadonlySet<string> = new Set();

/** `storage.path` of a configuration of ours; null where it says nothing. */
export function storagePathIn(text: string): string | null {
  const parsed = readJsonc(text);
  return parsed.kind === "value" ? pathIn(parsed.value) : null;
}

/** The same of our options in the `plugin` list of a config file of the host. */
export function optionsIn(text: string, file: string): string | null {
  const parsed = readJsonc(text);
  const list = parsed.kind === "value" ? fieldOf(parsed.value, "plugin") : null;
  if (!Array.isArray(list)) return null;
  const found = list.map((entry) => {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") return null;
    return isOurs(entry[0], file, NONE) ? pathIn(entry[1]) : null;
  });
  return found.findLast((path) => path !== null) ?? null;
}

function pathIn(config: unknown): string | null {
  const path = fieldOf(fieldOf(config, "storage"), "path");
  return typeof path === "string" && path !== "" ? path : null;
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return null;
  return Object.getOwnPropertyDescriptor(value, key)?.value ?? null;
}
