// Reads the fields of a value of unknown shape.

export type ComparedFields = Readonly<Record<string, unknown>>;

/** Returns the value's fields; none if it is not an object. */
export function toFields(value: unknown): ComparedFields {
  return isFields(value) ? value : {};
}

/** Reads the fields of an object in JSON; null for any other text. */
export function parseFields(json: string): ComparedFields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    // Only broken JSON throws here.
    return null;
  }
}

/** Narrows to an object with fields. An array has elements instead. */
export function isFields(value: unknown): value is ComparedFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
