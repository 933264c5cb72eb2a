// JSON columns and their codecs.
import * as z from "zod";
import { isSourceKey } from "../context/key.ts";
import { sourceKeySchema } from "../context/key-schema.ts";
import {
  type Snapshot,
  type SnapshotDelta,
  snapshotDeltaSchema,
  snapshotSchema,
} from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import { type Column, DecodeError, text } from "./column.ts";
import type { SqlValue } from "./driver.ts";
import type { LayerDigests } from "./records.ts";

const namespaced = (keyed: object) => Object.keys(keyed).every(isSourceKey);

export const storedMessageIds: z.ZodType<readonly string[]> = z.array(z.string());
export const storedTexts: z.ZodType<readonly KeyedText[]> = z.array(
  z.object({ key: sourceKeySchema, text: z.string() }),
);
export const storedSnapshot: z.ZodType<Snapshot> = snapshotSchema.refine(namespaced);
export const storedDelta: z.ZodType<SnapshotDelta> = snapshotDeltaSchema.refine(namespaced);

const digest = z.string().regex(/^[0-9a-f]{16}$/);
export const storedDigests: z.ZodType<LayerDigests> = z.object({
  tools: digest,
  preamble: digest,
  baseline: digest,
  live: digest,
  history: digest,
  historyAtWatermark: digest,
});

/** Declares a TEXT column that holds a value as JSON. */
export function json<T>(schema: z.ZodType<T>): Column<T> {
  return {
    decode: (cell) => unwrapParsed(schema.safeParse(parseCell(cell))),
    encode: (value) => JSON.stringify(unwrapParsed(schema.safeParse(value)) ?? null),
    extent: "long",
    choices: null,
    sql: { type: "TEXT", nulls: "refused", check: jsonCheck(schema) },
  };
}

/** Maps zod's schema names to the kinds of JSON that SQLite distinguishes. */
const JSON_TYPES: ReadonlyMap<string, string> = new Map([
  ["array", "array"],
  ["object", "object"],
  ["record", "object"],
  ["string", "text"],
]);

function jsonCheck(schema: z.ZodType): (name: string) => string {
  const type = jsonType(schema);
  if (type === undefined) return (name) => `json_valid(${name})`;
  return (name) => `json_type(${name}) = '${type}'`;
}

function jsonType(schema: z.core.$ZodType): string | undefined {
  if (!(schema instanceof z.ZodUnion)) return JSON_TYPES.get(schema._zod.def.type);
  const [type, ...others] = new Set(schema.options.map(jsonType));
  return others.length === 0 ? type : undefined;
}

/** Holds JSON of any shape. */
export const anyJson: Column<unknown> = json(z.unknown());

/** Holds a text that may not be well-formed Unicode: drivers mangle such text, JSON escapes it. */
export const longText: Column<string> = json(z.string());

function parseCell(cell: SqlValue): unknown {
  try {
    return JSON.parse(text.decode(cell));
  } catch (error) {
    if (error instanceof SyntaxError) throw new DecodeError(" (not JSON)");
    throw error;
  }
}

function unwrapParsed<T>(result: z.ZodSafeParseResult<T>): T {
  if (result.success) return result.data;
  const places = result.error.issues.map(({ path, code }) => `${path.join(".")} (${code})`);
  throw new DecodeError(`: ${places.join(", ")}`);
}
