// What a layer holds under unknown keys, or in the place of a whole section.
import type * as z from "zod";
import { dotted, sectionOf, tableOf } from "./keys.ts";
import { isRecord, type Layer, warningAt } from "./layer.ts";
import { closestKey } from "./suggest.ts";
import type { ConfigWarning } from "./warning.ts";
import type { WholeSchema } from "./whole-schema.ts";

export function strays(schema: WholeSchema, layer: Layer): readonly ConfigWarning[] {
  if (!isRecord(layer.value)) return [warningAt(layer, [], NO_OBJECT)];
  const unknownAt = (path: readonly string[]) =>
    warningAt(layer, path, unknown(schema, dotted(path)));
  return [...straysIn(layer.value, schema.file, [], { layer, unknownAt })];
}

const NO_OBJECT = { kind: "wrong", reason: "expected an object" } as const;

interface Found {
  readonly layer: Layer;
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
    else if (inner !== null || (tableOf(schema) !== null && !isRecord(value))) {
      yield warningAt(found.layer, path, NO_OBJECT);
    }
  }
}

function unknown({ gone, keys }: WholeSchema, key: string): Pick<ConfigWarning, "kind" | "reason"> {
  const now = gone.get(key);
  if (now !== undefined) {
    return { kind: "gone", reason: `is no longer a setting, and does no harm: ${now}` };
  }
  const meant = closestKey(key, keys);
  return {
    kind: "wrong",
    reason: meant === null ? "unknown key" : `unknown key; did you mean "${meant}"?`,
  };
}
