// Settings as others may read them: every key, and no text that could be a secret or somebody's words.

/** Sections whose texts are the user's own: values of variables, options of providers, templates. */
const OWN_TEXTS: ReadonlySet<string> = new Set([
  "continuity",
  "environment",
  "generation",
  "requestOptions",
  "sources",
]);

/** What of them only names files. */
const NAMES: ReadonlySet<string> = new Set(["file", "glob", "root", "type"]);
/** They have a password in them. */
const ADDRESSES: ReadonlySet<string> = new Set(["memory.store"]);
const MASK = "[text]";

export function maskedSettings(value: unknown): string {
  return JSON.stringify(masked(value, []), null, 2) ?? "null";
}

function masked(value: unknown, path: readonly string[]): unknown {
  if (typeof value === "string") return isOwnText(path) ? MASK : value;
  if (Array.isArray(value)) return value.map((entry) => masked(entry, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, masked(inner, [...path, key])]),
  );
}

function isOwnText(path: readonly string[]): boolean {
  const [section = ""] = path;
  if (ADDRESSES.has(path.join("."))) return true;
  return OWN_TEXTS.has(section) && !NAMES.has(path.at(-1) ?? "");
}
