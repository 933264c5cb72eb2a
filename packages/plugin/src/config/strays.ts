// Finds values that a layer holds under unknown keys, or in place of a whole section.
import type * as z from "zod";
import {
  type ConfigLayer,
  createWarning,
  isRecord,
  toDottedKey,
  unwrapSection,
  unwrapTable,
} from "./layer.ts";
import { findSetting, type SettingsTree } from "./setting.ts";
import { hasSwitch } from "./short-form.ts";
import { findClosestKey } from "./suggest.ts";
import type { ConfigWarning } from "./warning.ts";
import type { ConfigSchema } from "./whole-schema.ts";

export function listStructureWarnings(
  schema: ConfigSchema,
  layer: ConfigLayer,
): readonly ConfigWarning[] {
  if (!isRecord(layer.value)) return [createWarning(layer, [], NOT_AN_OBJECT)];
  const warnUnknown = (path: readonly string[]) =>
    createWarning(layer, path, describeUnknownKey(schema, toDottedKey(path)));
  return [
    ...findStructureWarnings(layer.value, schema.file, [], {
      layer,
      settings: schema.settings,
      warnUnknown,
    }),
  ];
}

const NOT_AN_OBJECT = { kind: "wrong", reason: "expected an object" } as const;

interface UnknownKeyScan {
  readonly layer: ConfigLayer;
  readonly settings: SettingsTree;
  readonly warnUnknown: (path: readonly string[]) => ConfigWarning;
}

function* findStructureWarnings(
  values: Readonly<Record<string, unknown>>,
  section: z.ZodObject,
  prefix: readonly string[],
  found: UnknownKeyScan,
): Generator<ConfigWarning> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const path = [...prefix, name];
    const schema = Object.hasOwn(section.shape, name) ? section.shape[name] : undefined;
    if (schema === undefined) {
      yield found.warnUnknown(path);
      continue;
    }
    const inner = unwrapSection(schema);
    if (inner !== null && isRecord(value)) yield* findStructureWarnings(value, inner, path, found);
    else if (inner !== null)
      yield createWarning(found.layer, path, describeNonObjectSection(inner, path, found));
    else if (unwrapTable(schema) !== null && !isRecord(value)) {
      yield createWarning(found.layer, path, NOT_AN_OBJECT);
    }
  }
}

/**
 * Describes a value that stands in a section's place, and shows what to write, such as the section's first
 * key with its default.
 */
function describeNonObjectSection(
  section: z.ZodObject,
  path: readonly string[],
  { settings }: UnknownKeyScan,
): Pick<ConfigWarning, "kind" | "reason"> {
  if (hasSwitch(section))
    return {
      kind: "wrong",
      reason: 'expected true, false or an object, like { "enabled": false }',
    };
  const [key = ""] = Object.keys(section.shape);
  const value = JSON.stringify(findSetting(settings, [...path, key])?.default ?? null);
  return { kind: "wrong", reason: `expected an object, like { ${JSON.stringify(key)}: ${value} }` };
}

function describeUnknownKey(
  { keys }: ConfigSchema,
  key: string,
): Pick<ConfigWarning, "kind" | "reason"> {
  const meant = findClosestKey(key, keys);
  return {
    kind: "wrong",
    reason: meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`,
  };
}
