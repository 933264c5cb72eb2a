// A layer: the configuration that was read from one place, and its value under each key.
import type { LineLookup } from "./jsonc.ts";
import { toDottedKey } from "./keys.ts";
import { shortenText } from "./shown.ts";
import type { ConfigWarning } from "./warning.ts";

export interface ConfigLayer {
  /** The file's path, or the place's name; warnings show it. */
  readonly file: string;
  /**
   * Says who wrote the layer. `options` come from the plugin's entry in the host's config, which a project may
   * have brought, so they don't override the user's own files.
   */
  readonly scope: "user" | "project" | "options";
  readonly value: unknown;
  readonly findLine: LineLookup;
}

/** Holds a layer's value under a path. */
export interface LayerValue {
  readonly layer: ConfigLayer;
  readonly value: unknown;
}

/** Returns each layer's value under a path; later ones win. */
export function claimsUnder(
  path: readonly string[],
  layers: readonly ConfigLayer[],
): readonly LayerValue[] {
  return layers.flatMap((layer) => {
    const value = ownValueAt(layer.value, path);
    return value === undefined ? [] : [{ layer, value }];
  });
}

/** Returns the names under a path, where it holds an object. */
export function namesUnder(path: readonly string[], { value }: ConfigLayer): readonly string[] {
  const found = ownValueAt(value, path);
  return isRecord(found) ? Object.keys(found) : [];
}

/** Returns the value under a path of own properties; undefined where there is none. */
function ownValueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isRecord(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function warningAt(
  { file, findLine }: ConfigLayer,
  path: readonly string[],
  found: Pick<ConfigWarning, "kind" | "reason">,
): ConfigWarning {
  if (path.length === 0) return { ...found, file, line: null, key: null };
  return { ...found, file, line: findLine(path), key: toDottedKey(path.map(shownName)) };
}

/** Shortens a name from a file for display, and removes characters that control a terminal. */
function shownName(name: string): string {
  return shortenText(name, 80);
}
