// Defines columns: how a value is stored in a cell, and how it is read back; JSON columns and their codecs.
import * as z from "zod";
import { isSourceKey } from "../context/key.ts";
import {
  type Snapshot,
  type SnapshotDelta,
  snapshotDeltaSchema,
  snapshotSchema,
  sourceKeySchema,
} from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { SqlValue } from "./driver.ts";
import type { LayerDigests } from "./records.ts";

/** Reports a value that doesn't fit its column; the message says where in the value, and never quotes it. */
export class DecodeError extends Error {}

/** Translates between a value and its cell. Both directions throw `DecodeError`. */
interface Column<T> {
  readonly decode: (cell: SqlValue) => T;
  readonly encode: (value: T) => SqlValue;
  /** `long` allows texts of any length. */
  readonly extent: "short" | "long";
  /** Lists every allowed value; null if there are too many to list. */
  readonly choices: readonly SqlValue[] | null;
  /** The column's type as the schema declares it. */
  readonly sql: ColumnSql;
}

interface ColumnSql {
  readonly type: "TEXT" | "INTEGER" | "REAL";
  readonly nulls: "refused" | "allowed";
  /** Builds a condition on the column's name that SQLite checks as well; null if there is none. */
  readonly check: ((name: string) => string) | null;
}

const createPlainColumn = (type: ColumnSql["type"]): ColumnSql => ({
  type,
  nulls: "refused",
  check: null,
});

export type Columns<Row> = { readonly [Name in keyof Row & string]: Column<Row[Name]> };

export const text: Column<string> = {
  decode: (cell) => (typeof cell === "string" ? cell : throwDecodeError("not a text")),
  encode: (value) => value,
  extent: "short",
  choices: null,
  sql: createPlainColumn("TEXT"),
};

/**
 * Holds a name that the code assigns, such as a policy's or a host's; an import can't bring other text here.
 */
export const identifier: Column<string> = {
  ...text,
  decode: (cell) => {
    const name = text.decode(cell);
    return /^[\w./:-]{1,200}$/.test(name) ? name : throwDecodeError("not a name");
  },
};

export const integer: Column<number> = {
  decode: (cell) =>
    Number.isSafeInteger(cell) ? Number(cell) : throwDecodeError("not an integer"),
  encode: (value) => value,
  extent: "short",
  choices: null,
  sql: createPlainColumn("INTEGER"),
};

export const real: Column<number> = {
  decode: (cell) => (typeof cell === "number" ? cell : throwDecodeError("not a number")),
  encode: (value) => value,
  extent: "short",
  choices: null,
  sql: createPlainColumn("REAL"),
};

/** Declares an id: a text whose type follows from its column. */
export function brandedText<T extends string>(): Column<T> {
  return { ...text, decode: (cell) => text.decode(cell) as T };
}

export function knownValue<const T extends string | number>(values: readonly T[]): Column<T> {
  const listed = values.map(toSqlLiteral).join(", ");
  const open = openChoice(values);
  return { ...open, sql: { ...open.sql, check: (name) => `${name} IN (${listed})` } };
}

/**
 * Declares a value from a list that is likely to grow. SQLite doesn't check it: a CHECK can't be changed
 * without building the table again.
 */
export function openChoice<const T extends string | number>(values: readonly T[]): Column<T> {
  return {
    decode: (cell) =>
      values.find((value) => value === cell) ?? throwDecodeError("not a known value"),
    encode: (value) => value,
    extent: "short",
    choices: values,
    sql: createPlainColumn(typeof values[0] === "number" ? "INTEGER" : "TEXT"),
  };
}

export function nullable<T>({ decode, encode, sql, ...rest }: Column<T>): Column<T | null> {
  return {
    decode: (cell) => (cell === null ? null : decode(cell)),
    encode: (value) => (value === null ? null : encode(value)),
    sql: { ...sql, nulls: "allowed" },
    ...rest,
  };
}

/** Writes a number, or a name that the code assigns, as a literal of a statement. */
export function toSqlLiteral(value: SqlValue): string {
  return typeof value === "string" ? `'${value}'` : String(value);
}

function throwDecodeError(reason: string): never {
  throw new DecodeError(` (${reason})`);
}

const sqlNames = new Map<string, string>();

/** Turns `sentAtMs` into `sent_at_ms`. Results are cached because each cell asks for its name. */
export function toSqlName(property: string): string {
  const known = sqlNames.get(property);
  if (known !== undefined) return known;
  const made = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  sqlNames.set(property, made);
  return made;
}

// JSON columns and their codecs.

const hasSourceKeys = (keyed: object) => Object.keys(keyed).every(isSourceKey);

export const storedMessageIdsSchema: z.ZodType<readonly string[]> = z.array(z.string());
export const storedTextsSchema: z.ZodType<readonly KeyedText[]> = z.array(
  z.object({ key: sourceKeySchema, text: z.string() }),
);
export const storedSnapshotSchema: z.ZodType<Snapshot> = snapshotSchema.refine(hasSourceKeys);
export const storedDeltaSchema: z.ZodType<SnapshotDelta> =
  snapshotDeltaSchema.refine(hasSourceKeys);

const digestSchema = z.string().regex(/^[0-9a-f]{16}$/);
export const storedDigestsSchema: z.ZodType<LayerDigests> = z.object({
  tools: digestSchema,
  preamble: digestSchema,
  baseline: digestSchema,
  live: digestSchema,
  history: digestSchema,
  historyAtWatermark: digestSchema,
});

/** Declares a TEXT column that holds a value as JSON. */
export function json<T>(schema: z.ZodType<T>): Column<T> {
  return {
    decode: (cell) => unwrapParsed(schema.safeParse(parseCell(cell))),
    encode: (value) => JSON.stringify(unwrapParsed(schema.safeParse(value)) ?? null),
    extent: "long",
    choices: null,
    sql: { type: "TEXT", nulls: "refused", check: buildJsonCheck(schema) },
  };
}

/** Maps zod's schema names to the kinds of JSON that SQLite distinguishes. */
const JSON_TYPES: ReadonlyMap<string, string> = new Map([
  ["array", "array"],
  ["object", "object"],
  ["record", "object"],
  ["string", "text"],
]);

function buildJsonCheck(schema: z.ZodType): (name: string) => string {
  const type = findJsonType(schema);
  if (type === undefined) return (name) => `json_valid(${name})`;
  return (name) => `json_type(${name}) = '${type}'`;
}

function findJsonType(schema: z.core.$ZodType): string | undefined {
  if (!(schema instanceof z.ZodUnion)) return JSON_TYPES.get(schema._zod.def.type);
  const [type, ...others] = new Set(schema.options.map(findJsonType));
  return others.length === 0 ? type : undefined;
}

/** Holds JSON of any shape. */
export const anyJson: Column<unknown> = json(z.unknown());

/** Holds a text that may not be well-formed Unicode: drivers mangle such text, but JSON escapes it. */
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
