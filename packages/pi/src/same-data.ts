// Compares plain data, for each message at each call, because Pi returns copies.
import { isDeepStrictEqual } from "node:util";

/** Compares plain objects, lists and their contents; Node's own rules compare anything else. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) return sameLists(one, other);
  if (isPlain(one) && isPlain(other)) return sameObjects(one, other);
  return isDeepStrictEqual(one, other);
}

function sameLists(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!isSameData(one[at], other[at])) return false;
  return true;
}

type Plain = Readonly<Record<string, unknown>>;

function sameObjects(one: Plain, other: Plain): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isSameData(one[name], other[name])) return false;
  }
  return true;
}

function isPlain(value: unknown): value is Plain {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
