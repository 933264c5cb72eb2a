// Canonical JSON for a value, and the hash of a text.
import xxhash from "xxhash-wasm";
import { compareKeys } from "./key.ts";

const { h64ToString } = await xxhash();

/** Thrown for a value that JSON can't hold. `path` names the place: `$.servers[2].port`. */
export class NotJsonError extends Error {
  readonly code = "value_not_json";
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`A value can't be stored as JSON: ${reason} at ${path}.`);
    this.name = "NotJsonError";
  }
}

/**
 * Renders a value as its one canonical text: object keys in code-unit order at all depths, arrays in their own
 * order. A property that holds `undefined` is left out, as `JSON.stringify` does.
 * @throws NotJsonError
 */
export function canonicalJson(value: unknown): string {
  return write(value, "$", []);
}

/** Returns the xxHash64 of the text's UTF-8 bytes, as 16 hex digits. */
export function hashText(text: string): string {
  return h64ToString(text);
}

function write(value: unknown, path: string, ancestors: readonly object[]): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new NotJsonError(path, String(value));
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : writeContainer(value, path, ancestors);
    default:
      throw new NotJsonError(path, typeof value);
  }
}

function writeContainer(value: object, path: string, ancestors: readonly object[]): string {
  if (ancestors.includes(value)) throw new NotJsonError(path, "a cycle");
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    // `Array.from` visits holes, which `map` would skip.
    return `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`, inside))}]`;
  }
  if (!isPlain(value)) throw new NotJsonError(path, "an instance of a class");
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([name, member]) => {
      return `${JSON.stringify(name)}:${write(member, `${path}.${name}`, inside)}`;
    });
  return `{${members}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
