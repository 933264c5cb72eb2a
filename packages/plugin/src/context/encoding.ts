// Encodes a source's value by its schema into the form that is stored, and decodes it.
import * as z from "zod";
import { canonicalJson, hashText } from "./canonical.ts";

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
  /** Bounded in number, because a string can't be a key of a WeakMap. */
  readonly texts: Map<string, EncodedValue>;
}

// Keyed by schema: contexts are made again at each boundary while their schemas and cached values stay.
const memories = new WeakMap<z.ZodType, EncodingCache>();

/** Bounds the texts kept per schema, which all sources of a kind and all sessions share. */
const MAX_CACHED_TEXTS = 32;

/**
 * Encodes a value by its schema. An object is encoded once, and so as a rule are the newest texts: later
 * calls read the cache.
 * @throws when the value does not fit the schema, or NotJsonError when what the schema encodes to is not
 * JSON.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const isText = typeof value === "string";
  if (!isText && (typeof value !== "object" || value === null)) return encodeFresh(schema, value);
  const memory = ensureMemory(schema);
  const known = isText ? memory.texts.get(value) : memory.objects.get(value);
  if (known) return known;
  const encoded = encodeFresh(schema, value);
  if (isText) rememberText(memory.texts, value, encoded);
  else memory.objects.set(value, encoded);
  return encoded;
}

function ensureMemory(schema: z.ZodType): EncodingCache {
  const memory = memories.get(schema) ?? { objects: new WeakMap(), texts: new Map() };
  memories.set(schema, memory);
  return memory;
}

/** Caches one text. A full cache is emptied: texts still in use come again at the next boundary. */
function rememberText(texts: EncodingCache["texts"], text: string, encoded: EncodedValue): void {
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
  texts.set(text, encoded);
}

/** Decodes stored JSON; null if it is not a value by today's schema. */
export function decode<T>(schema: z.ZodType<T>, json: string): { readonly value: T } | null {
  try {
    return { value: z.decode(schema, JSON.parse(json)) };
  } catch {
    // The JSON is broken, the schema refused it or a codec threw: in each case it is not a value of ours.
    return null;
  }
}

function encodeFresh<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const json = canonicalJson(z.encode(schema, value));
  return { hash: hashText(json), json };
}
