// What a log line may hold: plain fields, without credentials.

import { withoutSecrets } from "./secrets.ts";

/** What a log line may hold beside its event: no objects, so no message, part or request gets in. */
export type FieldValue = string | number | boolean | null;
export type Fields = Readonly<Record<string, FieldValue>>;

const MAX_VALUE_CHARS = 500;

/** The text as the log may hold it: without credentials, at most 500 characters. */
export function redactText(text: string): string {
  // Cut first, so that a text of megabytes costs nothing; a little more, so that no half secret stays.
  const clean = withoutSecrets(text.slice(0, MAX_VALUE_CHARS * 4));
  return clean.length > MAX_VALUE_CHARS || text.length > MAX_VALUE_CHARS * 4
    ? `${clean.slice(0, MAX_VALUE_CHARS - 1)}…`
    : clean;
}

/** The value as the log may hold it. Types don't bind at run time: what is not a field is named only. */
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
