// Limits log lines to plain fields without credentials.

import { withoutSecrets } from "./secrets.ts";

/** A log field besides the event: no objects, so no message, part or request gets in. */
export type FieldValue = string | number | boolean | null;
export type Fields = Readonly<Record<string, FieldValue>>;

const MAX_VALUE_CHARS = 500;

/** Returns the text for the log: without credentials, at most 500 characters. */
export function redactText(text: string): string {
  // The text is cut first, so that megabytes cost nothing, and with a margin, so that no half secret stays.
  const clean = withoutSecrets(text.slice(0, MAX_VALUE_CHARS * 4));
  return clean.length > MAX_VALUE_CHARS || text.length > MAX_VALUE_CHARS * 4
    ? `${clean.slice(0, MAX_VALUE_CHARS - 1)}…`
    : clean;
}

/**
 * Returns the value for the log. Types don't bind at run time, so for another value only its type is given.
 */
export function redactValue(value: unknown): FieldValue {
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    default:
      return value === null ? null : `[${Array.isArray(value) ? "array" : typeof value}]`;
  }
}
