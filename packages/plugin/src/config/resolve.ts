// Merges layers key by key and validates the result; pure and total.
import * as z from "zod";
import { dotted, knownKeys, sectionOf, tableOf } from "./keys.ts";
import {
  type Config,
  configFileSchema,
  configSchema,
  parseConfig,
  userOnlyKeys,
} from "./schema.ts";
import { closestKey } from "./suggest.ts";
import { refusedToProjects } from "./trust.ts";
import type { ConfigWarning } from "./warning.ts";

type Values = Readonly<Record<string, unknown>>;

/** One place that configuration comes from, as it was read. */
export interface Layer {
  /** Path of the file, or the name of the place; warnings show it. */
  readonly file: string;
  readonly scope: "user" | "project";
  readonly value: unknown;
}

export interface ResolvedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Merges the layers key by key, later wins, and then validates: what counts is the effective value
 * alone. One that is invalid falls back to its default, and costs no other key. Pure and total.
 */
export function resolveConfig(layers: readonly Layer[]): ResolvedConfig {
  const warnings = layers.flatMap((layer) => strays(layer));
  const merged = mergedSection(configSchema, [], layers, (found) => warnings.push(found));
  return { config: parseConfig(merged), warnings };
}

/** The valid effective values of a section. Names come from the schema, never from a file. */
function mergedSection(
  section: z.ZodObject,
  prefix: readonly string[],
  layers: readonly Layer[],
  report: (found: ConfigWarning) => void,
): Values {
  const entries: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(section.shape)) {
    const path = [...prefix, name];
    const inner = sectionOf(schema);
    if (inner !== null) {
      entries.push([name, mergedSection(inner, path, layers, report)]);
      continue;
    }
    const table = tableOf(schema);
    if (table !== null) {
      entries.push([name, mergedTable(table, path, layers, report)]);
      continue;
    }
    const claim = effective(path, layers);
    if (claim === null) continue;
    const checked = z.safeParse(schema, claim.value);
    if (checked.success) entries.push([name, claim.value]);
    else report(invalid(claim.file, dotted(path), checked.error));
  }
  return Object.fromEntries(entries);
}

/** The valid entries of a table: each counts as a whole, and costs no other one. */
function mergedTable(
  table: z.ZodRecord,
  path: readonly string[],
  layers: readonly Layer[],
  report: (found: ConfigWarning) => void,
): Values {
  const entries = layers.flatMap(({ value }) => Object.keys(tableIn(value, path)));
  const valid = [...new Set(entries)].flatMap((name): [string, unknown][] => {
    const claim = effective([...path, name], layers);
    if (claim === null) return [];
    const key = dotted([...path, shown(name)]);
    const named = z.safeParse(table.keyType, name);
    const checked = named.success ? z.safeParse(table.valueType, claim.value) : named;
    if (checked.success) return [[name, claim.value]];
    report(leftOut(claim.file, key, checked.error));
    return [];
  });
  return Object.fromEntries(valid);
}

function tableIn(value: unknown, path: readonly string[]): Values {
  const found = ownAt(value, path);
  return isRecord(found) ? found : {};
}

/** The last value that a layer gives this key, among the layers that may. */
function effective(path: readonly string[], layers: readonly Layer[]): Layer | null {
  const reserved = userOnlyKeys.has(dotted(path));
  for (const layer of layers.toReversed()) {
    if (reserved && layer.scope === "project") continue;
    const value = ownAt(layer.value, path);
    if (layer.scope === "project" && refusedToProjects(path, value) !== null) continue;
    if (value !== undefined) return { ...layer, value };
  }
  return null;
}

/** What a layer holds that can't be taken whatever its value: unknown keys, and misplaced ones. */
function strays(layer: Layer): ConfigWarning[] {
  if (!isRecord(layer.value)) return [warning(layer.file, null, "expected an object")];
  return [...straysIn(layer.value, configFileSchema, [], layer)];
}

function* straysIn(
  values: Values,
  section: z.ZodObject,
  prefix: readonly string[],
  layer: Layer,
): Generator<ConfigWarning> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const key = dotted([...prefix, name]);
    const schema = Object.hasOwn(section.shape, name) ? section.shape[name] : undefined;
    if (schema === undefined) {
      yield warning(layer.file, shown(key), unknownReason(key));
      continue;
    }
    const inner = sectionOf(schema);
    if (inner !== null && isRecord(value)) {
      yield* straysIn(value, inner, [...prefix, name], layer);
    } else if (inner !== null || (tableOf(schema) !== null && !isRecord(value))) {
      yield warning(layer.file, key, "expected an object");
    } else if (tableOf(schema) !== null) {
      yield* refusals(tableIn(values, [name]), [...prefix, name], layer);
    } else if (layer.scope === "project" && userOnlyKeys.has(key)) {
      yield warning(layer.file, key, "is read from the user's own config only, not from a project");
    }
  }
}

/** Entries that a project's files may not have. */
function* refusals(table: Values, path: readonly string[], layer: Layer): Generator<ConfigWarning> {
  if (layer.scope !== "project") return;
  for (const [name, value] of Object.entries(table)) {
    const reason = refusedToProjects([...path, name], value);
    if (reason !== null) yield warning(layer.file, dotted([...path, shown(name)]), reason);
  }
}

function unknownReason(key: string): string {
  const meant = closestKey(key, knownKeys);
  return meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`;
}

function invalid(file: string, key: string, error: z.core.$ZodError): ConfigWarning {
  return warning(file, key, `${firstIssue(error)}; the default is used`);
}

function leftOut(file: string, key: string, error: z.core.$ZodError): ConfigWarning {
  return warning(file, key, `${firstIssue(error)}; the entry is left out`);
}

function firstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? "" : `at ${shown(issue.path.join("."))}: `;
  return `${where}${issue === undefined ? "invalid value" : shortened(issue.message, 140)}`;
}

function warning(file: string, key: string | null, reason: string): ConfigWarning {
  return { file, key, reason };
}

/** A name from a file, as it may be shown: short, and without characters that steer a terminal. */
function shown(name: string): string {
  return shortened(name, 80);
}

function shortened(text: string, most: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]/gu, "?");
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
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

function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
