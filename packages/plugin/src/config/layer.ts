// One place that configuration comes from, as it was read, and what it says under a key.
import type { LineOf } from "./jsonc.ts";
import { dotted } from "./keys.ts";
import { shortened } from "./shown.ts";
import type { ConfigWarning } from "./warning.ts";

export interface Layer {
  /** Path of the file, or the name of the place; warnings show it. */
  readonly file: string;
  /**
   * `options`: of the plugin's entry in the host's config, which a project may have brought: they
   * don't overrule what the user's own files say.
   */
  readonly scope: "user" | "project" | "options";
  readonly value: unknown;
  readonly lineOf: LineOf;
}

/** What a layer says under a path. */
export interface Claim {
  readonly layer: Layer;
  readonly value: unknown;
}

/** What each layer says under a path; later wins. */
export function claimsUnder(path: readonly string[], layers: readonly Layer[]): readonly Claim[] {
  return layers.flatMap((layer) => {
    const value = ownAt(layer.value, path);
    return value === undefined ? [] : [{ layer, value }];
  });
}

/** The names under a path, where it holds an object. */
export function namesUnder(path: readonly string[], { value }: Layer): readonly string[] {
  const found = ownAt(value, path);
  return isRecord(found) ? Object.keys(found) : [];
}

/** The value under a path of own properties; undefined where there is none. */
function ownAt(value: unknown, path: readonly string[]): unknown {
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
  { file, lineOf }: Layer,
  path: readonly string[],
  found: Pick<ConfigWarning, "kind" | "reason">,
): ConfigWarning {
  if (path.length === 0) return { ...found, file, line: null, key: null };
  return { ...found, file, line: lineOf(path), key: dotted(path.map(shownName)) };
}

/** A name from a file, as it may be shown: short, and without characters that control a terminal. */
function shownName(name: string): string {
  return shortened(name, 80);
}
