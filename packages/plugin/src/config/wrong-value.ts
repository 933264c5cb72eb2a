// Describes an invalid value: what is allowed there, what was found, what was probably meant.
import * as z from "zod";
import { findClosestKey } from "./suggest.ts";
import { shortenText } from "./warning.ts";

interface ValueFault {
  /** The path within the value; empty if the whole value is invalid. */
  readonly at: readonly string[];
  readonly reason: string;
}

/** Says whether the invalid value is quoted; environment variables and provider options may be secret. */
export type QuotingMode = "quoted" | "kept-secret";

/**
 * Describes the fault. Zod's own message depends on a locale that a bundle may leave out, and it doesn't say
 * what is allowed.
 */
export function describeWrongValue(
  schema: z.core.$ZodType,
  value: unknown,
  error: z.core.$ZodError,
  quoting: QuotingMode,
): ValueFault {
  const [issue] = error.issues;
  if (issue === undefined) return { at: [], reason: "expected another value" };
  const at = issue.path.map(String);
  const where = at.length === 0 ? "" : `at ${at.join(".")}: `;
  const complain = quoting === "quoted" ? describeIssue : describeSecretIssue;
  return { at, reason: where + complain(issue, findSchema(schema, at), findValue(value, at)) };
}

function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.core.$ZodType | null,
  value: unknown,
): string {
  const expected = describeExpectation(issue, schema);
  if (!expected.startsWith("expected ")) return expected;
  return `${expected}, found ${renderValue(value)}${renderHint(schema, value)}`;
}

function describeSecretIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType | null): string {
  return describeExpectation(issue, schema);
}

function describeExpectation(issue: z.core.$ZodIssue, schema: z.core.$ZodType | null): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return describeUnknownKeys(issue.keys, schema);
    case "custom":
    case "invalid_format":
    case "invalid_union":
      // The message of a custom check says what it expects.
      return issue.message;
    case "too_small":
    case "too_big":
      if (issue.origin === "array") return `expected a list of ${formatBound(issue)}`;
      return `expected ${schema === null ? "another value" : describeAllowed(schema)}`;
    default:
      return `expected ${schema === null ? "another value" : describeAllowed(schema)}`;
  }
}

function formatBound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const [word, count] =
    issue.code === "too_small" ? ["least", issue.minimum] : ["most", issue.maximum];
  return `at ${word} ${count} ${Number(count) === 1 ? "entry" : "entries"}`;
}

function describeUnknownKeys(keys: readonly string[], schema: z.core.$ZodType | null): string {
  const [key = ""] = keys;
  const bare = schema === null ? null : stripNullable(schema);
  const known = bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
  const meant = findClosestKey(key, known);
  return `unknown key ${renderValue(key)}${meant === null ? "" : `; did you mean "${meant}"?`}`;
}

/** Describes for people what a schema accepts: `"ask", "auto" or "off"`. */
function describeAllowed(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodNullable) return `${describeAllowed(schema.unwrap())} or null`;
  const bare = unwrapSchema(schema);
  if (bare !== schema) return describeAllowed(bare);
  if (schema instanceof z.ZodEnum)
    return joinWithOr(schema.options.map((one) => JSON.stringify(one)));
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodNumber) return describeNumberRange(schema);
  if (schema instanceof z.ZodString) return describeTextLength(schema);
  if (schema instanceof z.ZodArray) return "a list";
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord
    ? "an object"
    : "another value";
}

function describeNumberRange({ format, minValue, maxValue }: z.ZodNumber): string {
  const isWhole = format?.includes("int") === true;
  const kind = isWhole ? "a whole number" : "a number";
  const hasRange = minValue !== null && maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER;
  return hasRange ? `${kind} from ${minValue} to ${maxValue}` : kind;
}

function describeTextLength({ minLength, maxLength }: z.ZodString): string {
  if (maxLength !== null) return `a text of ${minLength ?? 0} to ${maxLength} characters`;
  return minLength === null ? "a text" : "a text that is not empty";
}

function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Suggests the nearest spelling, or the same value without its quotes. */
function renderHint(schema: z.core.$ZodType | null, value: unknown): string {
  if (schema === null || typeof value !== "string") return "";
  const bare = stripNullable(schema);
  if (bare instanceof z.ZodEnum) {
    const meant = findClosestKey(value, bare.options.map(String));
    return meant === null ? "" : `; did you mean "${meant}"?`;
  }
  const isBoolean = bare instanceof z.ZodBoolean && /^(?:true|false)$/.test(value);
  const isNumber =
    bare instanceof z.ZodNumber && value.trim() !== "" && !Number.isNaN(Number(value));
  return isBoolean || isNumber ? `; write it without quotes: ${value.trim()}` : "";
}

function renderValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(shortenText(value, 40)) : String(value);
}

/** Removes the wrappers that give a schema a default or make it optional. */
function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional;
  return isWrapped ? unwrapSchema(schema.unwrap()) : schema;
}

function stripNullable(schema: z.core.$ZodType): z.core.$ZodType {
  const bare = unwrapSchema(schema);
  return bare instanceof z.ZodNullable ? stripNullable(bare.unwrap()) : bare;
}

function findSchema(schema: z.core.$ZodType, path: readonly string[]): z.core.$ZodType | null {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  const bare = stripNullable(schema);
  if (bare instanceof z.ZodObject) {
    const inner = Object.hasOwn(bare.shape, name) ? bare.shape[name] : undefined;
    return inner === undefined ? null : findSchema(inner, rest);
  }
  if (bare instanceof z.ZodArray) return findSchema(bare.element, rest);
  return bare instanceof z.ZodRecord ? findSchema(bare.valueType, rest) : null;
}

function findValue(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Object.getOwnPropertyDescriptor(current, name)?.value;
  }
  return current;
}
