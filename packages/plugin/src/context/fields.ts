// The fields of a value of unknown shape.

export type Fields = Readonly<Record<string, unknown>>;

/** None of what is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Of an object as JSON; null for any other text. */
export function fieldsIn(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    // Nothing but broken JSON throws here.
    return null;
  }
}

/** Whether it has fields: an array has elements. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
