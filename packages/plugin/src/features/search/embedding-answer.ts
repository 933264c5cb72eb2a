// Parses an endpoint's answer into one vector of length 1 per text, or into the fault in it. Pure.
import { toFields } from "../../context/fields.ts";

export type EmbeddingFault =
  /** The endpoint can't be reached now; another attempt may succeed. */
  | { readonly kind: "unreachable"; readonly why: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "busy"; readonly status: number; readonly waitMs: number | null }
  | { readonly kind: "malformed"; readonly why: string }
  /** The endpoint rejects these texts, this key or this address: the same call would be refused again. */
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "model"; readonly served: string }
  | { readonly kind: "dimensions"; readonly given: number; readonly known: number };

export type Vector = Float32Array<ArrayBuffer>;

export type EmbeddingResult =
  /** One vector per text; null for a vector of zeros, which is similar to no other. */
  | { readonly kind: "vectors"; readonly vectors: readonly (Vector | null)[] }
  | { readonly kind: "fault"; readonly fault: EmbeddingFault };

interface EmbeddingRequest {
  readonly model: string;
  readonly count: number;
  /** The length of the model's earlier vectors; null if these are the first. */
  readonly dimensions: number | null;
}

const MAX_DIMENSIONS = 16_384;

export function parseAnswer(
  text: string,
  { model, count, dimensions }: EmbeddingRequest,
): EmbeddingResult {
  const answer = parseObject(text);
  if (answer === null) return toMalformedResult("it is not JSON");
  const { model: served, data } = toFields(answer);
  if (typeof served === "string" && served !== model)
    return toFaultResult({ kind: "model", served });
  if (!Array.isArray(data) || data.length !== count) {
    return toMalformedResult(`it does not have ${count} vectors`);
  }
  const vectors: (Vector | null | undefined)[] = Array.from({ length: count });
  for (const [at, item] of data.entries()) {
    const { index: given, embedding } = toFields(item);
    const index = given ?? at;
    if (typeof index !== "number" || !(index in vectors) || vectors[index] !== undefined)
      return toMalformedResult("its order");
    const vector = toUnitVector(embedding);
    if (vector === undefined) return toMalformedResult("a vector is not a list of finite numbers");
    vectors[index] = vector;
  }
  const all = vectors.map((vector) => vector ?? null);
  const usable = all.filter((vector) => vector !== null);
  const given = usable[0]?.length ?? dimensions;
  // A model that has returned nothing but zeros so far is broken.
  if (given === null) return toMalformedResult("nothing but zeros");
  if (usable.some(({ length }) => length !== given))
    return toMalformedResult("vectors of several lengths");
  if (dimensions !== null && given !== dimensions) {
    return toFaultResult({ kind: "dimensions", given, known: dimensions });
  }
  return { kind: "vectors", vectors: all };
}

/**
 * Returns null for a vector of zeros, which has no direction; undefined for anything but a list of finite numbers.
 */
function toUnitVector(value: unknown): Vector | null | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS)
    return undefined;
  const most = value.reduce((sofar: number, one) => {
    return typeof one === "number" ? Math.max(sofar, Math.abs(one)) : Number.NaN;
  }, 0);
  if (!Number.isFinite(most)) return undefined;
  if (most === 0) return null;
  // Scales by the greatest number first, as the square of that number might overflow.
  const scaled = value.map((one: number) => one / most);
  const length = Math.sqrt(scaled.reduce((sum, one) => sum + one * one, 0));
  return Float32Array.from(scaled, (one) => one / length);
}

export function toMalformedResult(why: string): EmbeddingResult {
  return toFaultResult({ kind: "malformed", why });
}

export function toFaultResult(one: EmbeddingFault): EmbeddingResult {
  return { kind: "fault", fault: one };
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
