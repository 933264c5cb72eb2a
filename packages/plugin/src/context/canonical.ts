// Canonical JSON of a value and the hash of a text; encodes a source's value for storage, and decodes it.
import xxhash from "xxhash-wasm";
import * as z from "zod";
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
export function toCanonicalJson(value: unknown): string {
  return renderCanonical(value, "$", []);
}

/** Returns the xxHash64 of the text's UTF-8 bytes, as 16 hex digits. */
export function hashText(text: string): string {
  return h64ToString(text);
}

function renderCanonical(value: unknown, path: string, ancestors: readonly object[]): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new NotJsonError(path, String(value));
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : renderContainer(value, path, ancestors);
    default:
      throw new NotJsonError(path, typeof value);
  }
}

function renderContainer(value: object, path: string, ancestors: readonly object[]): string {
  if (ancestors.includes(value)) throw new NotJsonError(path, "a cycle");
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    // `Array.from` visits holes, which `map` would skip.
    return `[${Array.from(value, (item, index) => renderCanonical(item, `${path}[${index}]`, inside))}]`;
  }
  if (!isPlain(value)) throw new NotJsonError(path, "an instance of a class");
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([name, member]) => {
      return `${JSON.stringify(name)}:${renderCanonical(member, `${path}.${name}`, inside)}`;
    });
  return `{${members}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// Encodes a source's value by its schema into the form that is stored, and decodes it.

/** A value in the form that is stored. */
interface EncodedValue {
  /** xxHash64 (16 hex digits) of `json`. */
  readonly hash: string;
  /** Canonical JSON of the encoded value. */
  readonly json: string;
}

/** The remembered encodings of one schema's values. */
interface EncodingCache {
  readonly objects: WeakMap<object, EncodedValue>;
  /** Encodings by text. Their number is limited, because a string can't be a key of a WeakMap. */
  readonly texts: Map<string, EncodedValue>;
}

// The caches are kept by schema, because contexts are made again at each boundary while their schemas and
// cached values stay.
const encodingCaches = new WeakMap<z.ZodType, EncodingCache>();

/** Limits the texts cached for one schema, which all sources of a kind and all sessions share. */
const MAX_CACHED_TEXTS = 32;

/**
 * Encodes a value by its schema. An object is encoded only once, and so, as a rule, are the newest texts:
 * later calls read the cache.
 * @throws if the value does not fit the schema
 * @throws NotJsonError if the encoded value is not JSON
 */
export function encode<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const isText = typeof value === "string";
  if (!isText && (typeof value !== "object" || value === null)) return encodeFresh(schema, value);
  const memory = ensureCache(schema);
  const known = isText ? memory.texts.get(value) : memory.objects.get(value);
  if (known) return known;
  const encoded = encodeFresh(schema, value);
  if (isText) rememberText(memory.texts, value, encoded);
  else memory.objects.set(value, encoded);
  return encoded;
}

function ensureCache(schema: z.ZodType): EncodingCache {
  const memory = encodingCaches.get(schema) ?? { objects: new WeakMap(), texts: new Map() };
  encodingCaches.set(schema, memory);
  return memory;
}

/** Caches one text. A full cache is emptied, because texts still in use come back at the next boundary. */
function rememberText(texts: EncodingCache["texts"], text: string, encoded: EncodedValue): void {
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
  texts.set(text, encoded);
}

/** Decodes stored JSON; null if it is not a value of the present schema. */
export function decode<T>(schema: z.ZodType<T>, json: string): { readonly value: T } | null {
  try {
    return { value: z.decode(schema, JSON.parse(json)) };
  } catch {
    // The JSON is broken, the schema refused it or a codec threw: in each case the value is not one of ours.
    return null;
  }
}

function encodeFresh<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const json = toCanonicalJson(z.encode(schema, value));
  return { hash: hashText(json), json };
}
