// One place that configuration comes from, as it was read, and what it says under a key.
import type { LineLookup } from "./jsonc.ts";
import { dotted } from "./keys.ts";
import { shortened } from "./shown.ts";
import type { ConfigWarning } from "./warning.ts";

export interface ConfigLayer {
  /** Path of the file, or the name of the place; warnings show it. */
  readonly file: string;
  /**
   * `options`: of the plugin's entry in the host's config, which a project may have brought: they
   * don't overrule what the user's own files say.
   */
  readonly scope: "user" | "project" | "options";
  readonly value: unknown;
  readonly findLine: LineLookup;
}

/** What a layer says under a path. */
export interface LayerValue {
  readonly layer: ConfigLayer;
  readonly value: unknown;
}

/** What each layer says under a path; later wins. */
export function claimsUnder(
  path: readonly string[],
  layers: readonly ConfigLayer[],
): readonly LayerValue[] {
  return layers.flatMap((layer) => {
    const value = ownValueAt(layer.value, path);
    return value === undefined ? [] : [{ layer, value }];
  });
}

/** The names under a path, where it holds an object. */
export function namesUnder(path: readonly string[], { value }: ConfigLayer): readonly string[] {
  const found = ownValueAt(value, path);
  return isRecord(found) ? Object.keys(found) : [];
}

/** The value under a path of own properties; undefined where there is none. */
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
  return { ...found, file, line: findLine(path), key: dotted(path.map(shownName)) };
}

/** A name from a file, as it may be shown: short, and without characters that control a terminal. */
function shownName(name: string): string {
  return shortened(name, 80);
}
