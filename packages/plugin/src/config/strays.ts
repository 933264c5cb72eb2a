// What a layer holds under unknown keys, or in the place of a whole section.
import type * as z from "zod";
import { dotted, knownKeys, sectionOf, tableOf } from "./keys.ts";
import { isRecord, type Layer, warningAt } from "./layer.ts";
import { closestKey } from "./suggest.ts";
import type { ConfigWarning } from "./warning.ts";
import { configFileSchema, goneSettings } from "./whole-schema.ts";

export function strays(layer: Layer): readonly ConfigWarning[] {
  if (isRecord(layer.value)) return [...straysIn(layer.value, configFileSchema, [], layer)];
  return [warningAt(layer, [], NO_OBJECT)];
}

const NO_OBJECT = { kind: "wrong", reason: "expected an object" } as const;

function* straysIn(
  values: Readonly<Record<string, unknown>>,
  section: z.ZodObject,
  prefix: readonly string[],
  layer: Layer,
): Generator<ConfigWarning> {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const path = [...prefix, name];
    const schema = Object.hasOwn(section.shape, name) ? section.shape[name] : undefined;
    if (schema === undefined) {
      yield warningAt(layer, path, unknown(dotted(path)));
      continue;
    }
    const inner = sectionOf(schema);
    if (inner !== null && isRecord(value)) yield* straysIn(value, inner, path, layer);
    else if (inner !== null || (tableOf(schema) !== null && !isRecord(value))) {
      yield warningAt(layer, path, NO_OBJECT);
    }
  }
}

function unknown(key: string): Pick<ConfigWarning, "kind" | "reason"> {
  const now = goneSettings.get(key);
  if (now !== undefined) {
    return { kind: "gone", reason: `is no longer a setting, and does no harm: ${now}` };
  }
  const meant = closestKey(key, knownKeys);
  return {
    kind: "wrong",
    reason: meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`,
  };
}
