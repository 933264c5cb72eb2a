// Masks settings for other readers: every key stays, and no text that could be a secret or private.
import { findSetting, type Visibility } from "@session-runtime/opencode/config/setting";
import { settingsSchema } from "../database/settings-schema.ts";

/** Lists keys of private texts that only name files and kinds. */
const NAMES: ReadonlySet<string> = new Set(["file", "glob", "root", "type"]);
const MASK = "[text]";

export function maskedSettings(value: unknown): string {
  return JSON.stringify(masked(value, []), null, 2) ?? "null";
}

function masked(value: unknown, path: readonly string[]): unknown {
  if (typeof value === "string") return isShown(path) ? value : MASK;
  if (Array.isArray(value)) return value.map((entry) => masked(entry, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, masked(inner, [...path, key])]),
  );
}

function isShown(path: readonly string[]): boolean {
  const shown: Visibility = findSetting(settingsSchema.settings, path)?.shown ?? "secret";
  switch (shown) {
    case "plain":
      return true;
    case "names":
      return NAMES.has(path.at(-1) ?? "");
    case "secret":
      // The purpose of an unknown key is unclear, except for the one that editors read.
      return path.join(".") === "$schema";
  }
}
