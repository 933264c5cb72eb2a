import * as z from "zod";
import { canonicalJson, hashText } from "./canonical.ts";

/** The stored form of a value. */
export interface Encoded {
  /** xxHash64 (16 hex digits) of `json`. */
  readonly hash: string;
  /** Canonical JSON of the encoded value. */
  readonly json: string;
}

/** A value, or the finding that the stored text is none by today's schema. */
export type Decoded<T> =
  | { readonly kind: "decoded"; readonly value: T }
  | { readonly kind: "foreign" };

// By schema, as contexts are made anew at each boundary while their schemas and cached values stay.
const known = new WeakMap<z.ZodType, WeakMap<object, Encoded>>();

/**
 * An object is encoded once; later calls with the same object read the memory.
 * @throws when the value does not fit the schema, or NotJsonError when what the schema encodes to is not JSON.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): Encoded {
  if (typeof value !== "object" || value === null) return encodeAnew(schema, value);
  const ofSchema = known.get(schema) ?? new WeakMap<object, Encoded>();
  const encoded = ofSchema.get(value) ?? encodeAnew(schema, value);
  ofSchema.set(value, encoded);
  known.set(schema, ofSchema);
  return encoded;
}

export function decode<T>(schema: z.ZodType<T>, json: string): Decoded<T> {
  try {
    return { kind: "decoded", value: z.decode(schema, JSON.parse(json)) };
  } catch {
    // Broken JSON, a refusal by the schema or a codec that threw: none of them is a value of ours.
    return { kind: "foreign" };
  }
}

function encodeAnew<T>(schema: z.ZodType<T>, value: T): Encoded {
  const json = canonicalJson(z.encode(schema, value));
  return { hash: hashText(json), json };
}
