// Reads the fields of a value of unknown shape.

export type UnknownFields = Readonly<Record<string, unknown>>;

/** Returns the value's fields; an empty object if the value is not an object. */
export function toFields(value: unknown): UnknownFields {
  return isFields(value) ? value : {};
}

/** Reads the fields of an object in JSON; null for any other text. */
export function parseFields(json: string): UnknownFields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    // Only broken JSON throws here.
    return null;
  }
}

/** Says whether a value is an object with fields. An array is not: it has elements instead. */
export function isFields(value: unknown): value is UnknownFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
