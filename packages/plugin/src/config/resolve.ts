// Merges layers key by key and validates the result; pure and total.
import * as z from "zod";
import type { LineOf } from "./jsonc.ts";
import { dotted, knownKeys, sectionOf, tableOf } from "./keys.ts";
import { type Config, userOnlyKeys } from "./schema.ts";
import { shortened } from "./shown.ts";
import { closestKey } from "./suggest.ts";
import { refusedToProjects } from "./trust.ts";
import type { ConfigWarning, EntryPlace } from "./warning.ts";
import { configFileSchema, parseConfig, wholeSchema } from "./whole-schema.ts";
import { type Quoting, whatIsWrong } from "./wrong-value.ts";

type Values = Readonly<Record<string, unknown>>;

/** One place that configuration comes from, as it was read. */
export interface Layer {
  /** Path of the file, or the name of the place; warnings show it. */
  readonly file: string;
  readonly scope: "user" | "project";
  readonly value: unknown;
  readonly lineOf: LineOf;
}

export interface ResolvedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
  /** The entries of `sources` that a project's file gives, by key. */
  readonly projectSources: ReadonlyMap<string, EntryPlace>;
}

/**
 * Merges the layers key by key, later wins, and then validates: what counts is the effective value
 * alone. One that is invalid falls back to its default, and costs no other key. Pure and total.
 */
export function resolveConfig(layers: readonly Layer[]): ResolvedConfig {
  const warnings = layers.flatMap((layer) => strays(layer));
  const merged = mergedSection(wholeSchema, [], layers, (found) => warnings.push(found));
  const config = parseConfig(merged);
  return { config, warnings, projectSources: projectSources(Object.keys(config.sources), layers) };
}

function projectSources(
  keys: readonly string[],
  layers: readonly Layer[],
): ReadonlyMap<string, EntryPlace> {
  const places = new Map<string, EntryPlace>();
  for (const key of keys) {
    const path = ["sources", key];
    const claim = effective(path, layers);
    if (claim?.scope !== "project") continue;
    places.set(key, { file: claim.file, line: claim.lineOf(path), key: dotted(path) });
  }
  return places;
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
    else report(unfit(claim, path, schema, checked.error, "the default is used"));
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
    const own = [...path, name];
    const named = z.safeParse(table.keyType, name);
    const checked = named.success ? z.safeParse(table.valueType, claim.value) : named;
    if (checked.success) return [[name, claim.value]];
    const schema = named.success ? table.valueType : table.keyType;
    const found = named.success ? claim : { ...claim, value: name };
    report(unfit(found, own, schema, checked.error, "the entry is left out"));
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
  if (!isRecord(layer.value)) return [warning(layer, [], "expected an object")];
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
    const path = [...prefix, name];
    const key = dotted(path);
    const schema = Object.hasOwn(section.shape, name) ? section.shape[name] : undefined;
    if (schema === undefined) {
      yield warning(layer, path, unknownReason(key));
      continue;
    }
    const inner = sectionOf(schema);
    if (inner !== null && isRecord(value)) {
      yield* straysIn(value, inner, path, layer);
    } else if (inner !== null || (tableOf(schema) !== null && !isRecord(value))) {
      yield warning(layer, path, "expected an object");
    } else if (tableOf(schema) !== null) {
      yield* refusals(tableIn(values, [name]), path, layer);
    } else if (layer.scope === "project" && userOnlyKeys.has(key)) {
      yield warning(layer, path, "is read from the user's own config only, not from a project");
    } else if (layer.scope === "project") {
      const reason = refusedToProjects(path, value);
      if (reason !== null) yield warning(layer, path, reason);
    }
  }
}

/** Entries that a project's files may not have. */
function* refusals(table: Values, path: readonly string[], layer: Layer): Generator<ConfigWarning> {
  if (layer.scope !== "project") return;
  for (const [name, value] of Object.entries(table)) {
    const reason = refusedToProjects([...path, name], value);
    if (reason !== null) yield warning(layer, [...path, name], reason);
  }
}

function unknownReason(key: string): string {
  const meant = closestKey(key, knownKeys);
  return meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`;
}

function unfit(
  { value, ...layer }: Layer,
  path: readonly string[],
  schema: z.core.$ZodType,
  error: z.core.$ZodError,
  effect: string,
): ConfigWarning {
  const { at, reason } = whatIsWrong(schema, value, error, quotingOf(path));
  const place = { ...layer, value };
  const line = layer.lineOf([...path, ...at]);
  return { ...warning(place, path, withEffect(shortened(reason, LONGEST_REASON), effect)), line };
}

/** Nothing follows a question mark but a new sentence. */
function withEffect(reason: string, effect: string): string {
  if (!reason.endsWith("?")) return `${reason}; ${effect}`;
  return `${reason} ${effect.charAt(0).toUpperCase()}${effect.slice(1)}`;
}

/** Their values may be secret. */
const SECRET_SECTIONS: ReadonlySet<string> = new Set([
  "environment",
  "generation",
  "requestOptions",
]);

/** An address has the user's password in it. */
const SECRET_KEYS: ReadonlySet<string> = new Set(["memory.store"]);

function quotingOf(path: readonly string[]): Quoting {
  const [section = ""] = path;
  return SECRET_SECTIONS.has(section) || SECRET_KEYS.has(dotted(path)) ? "kept-secret" : "quoted";
}

function warning({ file, lineOf }: Layer, path: readonly string[], reason: string): ConfigWarning {
  if (path.length === 0) return { file, line: null, key: null, reason };
  return { file, line: lineOf(path), key: dotted(path.map(shown)), reason };
}

const LONGEST_REASON = 240;

/** A name from a file, as it may be shown: short, and without characters that steer a terminal. */
function shown(name: string): string {
  return shortened(name, 80);
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
