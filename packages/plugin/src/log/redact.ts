// What a log line may hold: plain fields, without credentials.

/** What a log line may hold beside its event: no objects, so no message, part or request gets in. */
export type FieldValue = string | number | boolean | null;
export type Fields = Readonly<Record<string, FieldValue>>;

const LONGEST = 500;

/** What credentials look like, wherever they stand in a text. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[\w-]{16,}/g,
  /\bgh[a-z]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[a-z]-[\w-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /(?<=\b(?:bearer|basic)\s+)[\w+/=.~-]{16,}/gi,
  /(?<=(?:api[-_]?key|token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',;}]{6,}/gi,
];

/** User and password before the host, and everything after the path: both carry tokens. */
const URL_SECRETS = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]*@)?([^\s?#]*)(?:[?#]\S*)?/gi;

/** The text as the log may hold it: without credentials, at most 500 characters. */
export function redactText(text: string): string {
  // Cut first, so that a text of megabytes costs nothing; a little more, so that no half secret stays.
  const head = text.slice(0, LONGEST * 4).replace(URL_SECRETS, "$1$2");
  const clean = SECRETS.reduce((current, secret) => current.replace(secret, "[secret]"), head);
  return clean.length > LONGEST || text.length > LONGEST * 4
    ? `${clean.slice(0, LONGEST - 1)}…`
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
