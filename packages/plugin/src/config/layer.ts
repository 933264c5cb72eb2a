// A layer: the configuration that was read from one place, and its value under each key.
import * as z from "zod";
import type { LineLookup } from "./jsonc.ts";
import { type ConfigWarning, shortenText } from "./warning.ts";

// The keys of the schema: sections, tables and their dotted names.

/** Returns the object schema that a section's default wraps; null if the schema is not that of a section. */
export function unwrapSection(schema: z.core.$ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodPrefault) return unwrapSection(schema.unwrap());
  return schema instanceof z.ZodObject ? schema : null;
}

/** Returns the table (entries with user-defined names) that a default wraps; null for any other schema. */
export function unwrapTable(schema: z.core.$ZodType): z.ZodRecord | null {
  if (schema instanceof z.ZodDefault) return unwrapTable(schema.unwrap());
  return schema instanceof z.ZodRecord ? schema : null;
}

/** Joins a path with dots, for display. */
export function toDottedKey(path: readonly string[]): string {
  return path.join(".");
}

/** Lists the dotted keys of everything in a section, including its nested sections and their keys. */
export function listKeys(section: z.ZodObject, prefix: readonly string[] = []): readonly string[] {
  return Object.entries(section.shape).flatMap(([name, schema]) => {
    const path = [...prefix, name];
    const inner = unwrapSection(schema);
    return inner === null ? [toDottedKey(path)] : [toDottedKey(path), ...listKeys(inner, path)];
  });
}

export interface ConfigLayer {
  /** The file's path, or the name of another place; shown in warnings. */
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

/** Returns each layer's value under a path; the values of later layers win. */
export function collectClaims(
  path: readonly string[],
  layers: readonly ConfigLayer[],
): readonly LayerValue[] {
  return layers.flatMap((layer) => {
    const value = findOwnValue(layer.value, path);
    return value === undefined ? [] : [{ layer, value }];
  });
}

/** Returns the names under a path if it holds an object. */
export function listNames(path: readonly string[], { value }: ConfigLayer): readonly string[] {
  const found = findOwnValue(value, path);
  return isRecord(found) ? Object.keys(found) : [];
}

/** Returns the value under a path of own properties; undefined if there is none. */
function findOwnValue(value: unknown, path: readonly string[]): unknown {
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

export function createWarning(
  { file, findLine }: ConfigLayer,
  path: readonly string[],
  found: Pick<ConfigWarning, "kind" | "reason">,
): ConfigWarning {
  if (path.length === 0) return { ...found, file, line: null, key: null };
  return { ...found, file, line: findLine(path), key: toDottedKey(path.map(renderName)) };
}

/** Shortens a name from a file for display, and removes characters that control a terminal. */
function renderName(name: string): string {
  return shortenText(name, 80);
}
