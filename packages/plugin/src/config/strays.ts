// What a layer holds under unknown keys, or in the place of a whole section.
import type * as z from "zod";
import { dotted, sectionOf, tableOf } from "./keys.ts";
import { isRecord, type Layer, warningAt } from "./layer.ts";
import { type SettingsTree, settingAt } from "./setting.ts";
import { hasSwitch } from "./short-form.ts";
import { closestKey } from "./suggest.ts";
import type { ConfigWarning } from "./warning.ts";
import type { WholeSchema } from "./whole-schema.ts";

export function strays(schema: WholeSchema, layer: Layer): readonly ConfigWarning[] {
  if (!isRecord(layer.value)) return [warningAt(layer, [], NO_OBJECT)];
  const unknownAt = (path: readonly string[]) =>
    warningAt(layer, path, unknown(schema, dotted(path)));
  return [
    ...straysIn(layer.value, schema.file, [], { layer, settings: schema.settings, unknownAt }),
  ];
}

const NO_OBJECT = { kind: "wrong", reason: "expected an object" } as const;

interface Found {
  readonly layer: Layer;
  readonly settings: SettingsTree;
  readonly unknownAt: (path: readonly string[]) => ConfigWarning;
}

function* straysIn(
  values: Readonly<Record<string, unknown>>,
  section: z.ZodObject,
  prefix: readonly string[],
  found: Found,
): Generator<ConfigWarning> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const path = [...prefix, name];
    const schema = Object.hasOwn(section.shape, name) ? section.shape[name] : undefined;
    if (schema === undefined) {
      yield found.unknownAt(path);
      continue;
    }
    const inner = sectionOf(schema);
    if (inner !== null && isRecord(value)) yield* straysIn(value, inner, path, found);
    else if (inner !== null) yield warningAt(found.layer, path, noSection(inner, path, found));
    else if (tableOf(schema) !== null && !isRecord(value)) {
      yield warningAt(found.layer, path, NO_OBJECT);
    }
  }
}

/** With what to write: the section's first key, as it is where nobody says anything. */
function noSection(
  section: z.ZodObject,
  path: readonly string[],
  { settings }: Found,
): Pick<ConfigWarning, "kind" | "reason"> {
  if (hasSwitch(section))
    return {
      kind: "wrong",
      reason: 'expected true, false or an object, like { "enabled": false }',
    };
  const [key = ""] = Object.keys(section.shape);
  const value = JSON.stringify(settingAt(settings, [...path, key])?.default ?? null);
  return { kind: "wrong", reason: `expected an object, like { ${JSON.stringify(key)}: ${value} }` };
}

function unknown({ keys }: WholeSchema, key: string): Pick<ConfigWarning, "kind" | "reason"> {
  const meant = closestKey(key, keys);
  return {
    kind: "wrong",
    reason: meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`,
  };
}
