// The stored form of a source's value: encodes by its schema and decodes it.
import * as z from "zod";
import { canonicalJson, hashText } from "./canonical.ts";

/** The stored form of a value. */
interface EncodedValue {
  /** xxHash64 (16 hex digits) of `json`. */
  readonly hash: string;
  /** Canonical JSON of the encoded value. */
  readonly json: string;
}

/** The encodings of one schema's values. */
interface EncodingCache {
  readonly objects: WeakMap<object, EncodedValue>;
  /** A few, as a text has no life that could be watched. */
  readonly texts: Map<string, EncodedValue>;
}

// By schema, as contexts are made again at each boundary while their schemas and cached values stay.
const memories = new WeakMap<z.ZodType, EncodingCache>();

/** A schema is shared by the sources of a kind, and by all sessions. */
const MAX_CACHED_TEXTS = 32;

/**
 * An object is encoded once, and so are the newest texts as a rule: later calls read the memory.
 * @throws when the value does not fit the schema, or NotJsonError when what the schema encodes to is not JSON.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const isText = typeof value === "string";
  if (!isText && (typeof value !== "object" || value === null)) return encodeAnew(schema, value);
  const memory = ensureMemory(schema);
  const known = isText ? memory.texts.get(value) : memory.objects.get(value);
  if (known) return known;
  const encoded = encodeAnew(schema, value);
  if (isText) rememberText(memory.texts, value, encoded);
  else memory.objects.set(value, encoded);
  return encoded;
}

function ensureMemory(schema: z.ZodType): EncodingCache {
  const memory = memories.get(schema) ?? { objects: new WeakMap(), texts: new Map() };
  memories.set(schema, memory);
  return memory;
}

/** Too many are all forgotten: what is still of use comes again at the next boundary. */
function rememberText(texts: EncodingCache["texts"], text: string, encoded: EncodedValue): void {
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
  texts.set(text, encoded);
}

/** Null: the stored text is not a value by today's schema. */
export function decode<T>(schema: z.ZodType<T>, json: string): { readonly value: T } | null {
  try {
    return { value: z.decode(schema, JSON.parse(json)) };
  } catch {
    // Broken JSON, a refusal by the schema or a codec that threw: none of them is a value of ours.
    return null;
  }
}

function encodeAnew<T>(schema: z.ZodType<T>, value: T): EncodedValue {
  const json = canonicalJson(z.encode(schema, value));
  return { hash: hashText(json), json };
}
