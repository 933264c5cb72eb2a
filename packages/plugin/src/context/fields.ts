// The fields of a value of unknown shape.

export type ComparedFields = Readonly<Record<string, unknown>>;

/** None of what is not an object. */
export function toFields(value: unknown): ComparedFields {
  return isFields(value) ? value : {};
}

/** Of an object as JSON; null for any other text. */
export function fieldsIn(json: string): ComparedFields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    // Nothing but broken JSON throws here.
    return null;
  }
}

/** Whether it has fields: an array has elements. */
export function isFields(value: unknown): value is ComparedFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
