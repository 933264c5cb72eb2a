// Columns: how a value stands in a cell, and how it is read back.
import type { SqlValue } from "./driver.ts";

/** A value that doesn't fit its column; the message says where in the value, and never quotes it. */
export class Misfit extends Error {}

/** Both directions throw `Misfit`. */
export interface Column<T> {
  readonly decode: (cell: SqlValue) => T;
  readonly encode: (value: T) => SqlValue;
  /** `long`: of any length. */
  readonly extent: "short" | "long";
  /** All values that it may have; null: too many to say. */
  readonly choices: readonly SqlValue[] | null;
}

export type Columns<Row> = { readonly [Name in keyof Row & string]: Column<Row[Name]> };

export const text: Column<string> = {
  decode: (cell) => (typeof cell === "string" ? cell : misfit("not a text")),
  encode: (value) => value,
  extent: "short",
  choices: null,
};

/** A name that the code gives, such as a policy's or a host's: an import brings no text of another's there. */
export const word: Column<string> = {
  ...text,
  decode: (cell) => {
    const name = text.decode(cell);
    return /^[\w./:-]{1,200}$/.test(name) ? name : misfit("not a name");
  },
};

export const integer: Column<number> = {
  decode: (cell) => (Number.isSafeInteger(cell) ? Number(cell) : misfit("not an integer")),
  encode: (value) => value,
  extent: "short",
  choices: null,
};

export const real: Column<number> = {
  decode: (cell) => (typeof cell === "number" ? cell : misfit("not a number")),
  encode: (value) => value,
  extent: "short",
  choices: null,
};

/** A text that is of its type by where it stands: an id. */
export function branded<T extends string>(): Column<T> {
  return { ...text, decode: (cell) => text.decode(cell) as T };
}

export function oneOf<const T extends string | number>(values: readonly T[]): Column<T> {
  return {
    decode: (cell) => values.find((value) => value === cell) ?? misfit("not a known value"),
    encode: (value) => value,
    extent: "short",
    choices: values,
  };
}

export function orNull<T>({ decode, encode, ...rest }: Column<T>): Column<T | null> {
  return {
    decode: (cell) => (cell === null ? null : decode(cell)),
    encode: (value) => (value === null ? null : encode(value)),
    ...rest,
  };
}

function misfit(reason: string): never {
  throw new Misfit(` (${reason})`);
}

const sqlNames = new Map<string, string>();

/** `sentAtMs` is `sent_at_ms` in SQL. Each is asked for at every cell: it is made once. */
export function sqlName(property: string): string {
  const known = sqlNames.get(property);
  if (known !== undefined) return known;
  const made = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  sqlNames.set(property, made);
  return made;
}
