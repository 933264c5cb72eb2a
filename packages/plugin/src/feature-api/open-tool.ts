// Opens a tool: reads a model's arguments as they were plainly meant, or answers what would be accepted.
import type {
  Argument,
  Arguments,
  ArgumentValues,
  OpenTool,
  ToolAnswer,
  ToolCall,
  ToolDeclaration,
} from "./tool.ts";
import { UserFacingError } from "./user-facing-error.ts";

/**
 * Opens a tool so that it runs only with arguments that fit, because the host doesn't check a model's
 * arguments.
 */
export function openTool<Args extends Arguments>(
  { name, args }: ToolDeclaration<Args>,
  run: (given: ArgumentValues<Args>, call: ToolCall) => Promise<ToolAnswer>,
): OpenTool {
  return { name, run: async (given, call) => run(readArguments(name, args, given), call) };
}

/**
 * Reads the arguments of a call.
 * @param tool the tool's name, for the error's sentence
 * @throws UserFacingError
 */
function readArguments<Args extends Arguments>(
  tool: string,
  args: Args,
  given: unknown,
): ArgumentValues<Args> {
  const values: object = typeof given === "object" && given !== null ? given : {};
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(args, name));
  if (unknown.length > 0) {
    const known = Object.keys(args).join(", ");
    throw new UserFacingError(`Unknown argument ${quoteNames(unknown)}: ${tool} takes ${known}.`);
  }
  const entries = Object.entries(args).map(([name, argument]) => [
    name,
    readArgument(name, argument, Reflect.get(values, name)),
  ]);
  return Object.fromEntries(entries) as ArgumentValues<Args>;
}

function readArgument(name: string, argument: Argument, value: unknown): unknown {
  if (isOmitted(argument, value)) {
    if (argument.need === "optional") return null;
    const what = argument.says === "" ? describeExpected(argument) : argument.says;
    throw new UserFacingError(`The argument ${name} is missing: ${what}`);
  }
  const meant = parseArgument(argument, value);
  if (meant !== null) return meant;
  throw new UserFacingError(`The argument ${name} must be ${describeExpected(argument)}.`);
}

/**
 * Treats an empty text as omitted, because some models fill in every argument even if they have nothing to
 * say.
 */
function isOmitted({ need }: Argument, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return need === "optional" && typeof value === "string" && value.trim() === "";
}

/** Returns null if the value can't be read as the argument's type. */
function parseArgument(argument: Argument, value: unknown): unknown {
  switch (argument.kind) {
    case "text":
      return parseText(value);
    case "texts":
      return parseTexts(value);
    case "integer":
      return parseInteger(argument.atLeast, argument.atMost, value);
    case "count":
      return parseInteger(1, Number.MAX_SAFE_INTEGER, value);
    case "choice":
      return argument.of.find((choice) => normalizeName(choice) === normalizeName(value)) ?? null;
    case "flag":
      return parseFlag(value);
  }
}

function parseFlag(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  const word = normalizeName(value);
  return word === "true" ? true : word === "false" ? false : null;
}

/** Accepts a number as its digits, and a list of texts joined by commas. */
function parseText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return isTextList(value) ? value.join(", ") : null;
}

/** Accepts a single text as a list of one, and a text that spells a list in JSON, which some models write. */
function parseTexts(value: unknown): readonly string[] | null {
  if (typeof value !== "string") return isTextList(value) ? value : null;
  const listed = value.trim().startsWith("[") ? parseJson(value) : null;
  return isTextList(listed) ? listed : [value];
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseInteger(atLeast: number, atMost: number, value: unknown): number | null {
  const isDigits = typeof value === "string" && /^\s*\d+\s*$/.test(value);
  const read = isDigits ? Number(value) : value;
  if (typeof read !== "number" || !Number.isSafeInteger(read)) return null;
  return read >= atLeast && read <= atMost ? read : null;
}

/** Normalizes a name: lower case, with spaces and hyphens replaced by underscores. */
function normalizeName(value: unknown): string | null {
  return typeof value === "string"
    ? value
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, "_")
    : null;
}

function describeExpected(argument: Argument): string {
  switch (argument.kind) {
    case "text":
      return "a string";
    case "texts":
      return "an array of strings";
    case "integer":
      return `a whole number from ${argument.atLeast} to ${argument.atMost}`;
    case "count":
      return "a whole number from 1 on";
    case "choice":
      return `one of ${quoteNames(argument.of)}`;
    case "flag":
      return "true or false";
  }
}

function quoteNames(names: readonly string[]): string {
  return names
    .slice(0, MAX_QUOTED_NAMES)
    .map((name) => JSON.stringify(name.slice(0, MAX_NAME_CHARS)))
    .join(", ");
}

/** Limits on the names quoted in an error message: a model may invent many arguments, with names of any length. */
const MAX_QUOTED_NAMES = 8;
const MAX_NAME_CHARS = 40;
