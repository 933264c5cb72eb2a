// Reads fields of a value of unknown shape.

/** A value of whoever made a tool's result: nothing is known of it. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
