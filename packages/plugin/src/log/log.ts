// The log of JSON lines: plain fields without credentials, written without making the caller wait.
// Folder: The log file, notices to the user, and the redaction of secrets.
import { toFaultFields } from "./fault.ts";
import { openRotatingFile, type RotationLimits } from "./file.ts";
import { maskSecrets } from "./secrets.ts";

// Limits log lines to plain fields without credentials.

/** A log field's value: never an object, so no message, part or request gets in. */
export type FieldValue = string | number | boolean | null;
export type Fields = Readonly<Record<string, FieldValue>>;

const MAX_VALUE_CHARS = 500;

/** Returns the text for the log: without credentials, at most 500 characters. */
export function redactText(text: string): string {
  // The text is cut first, so that megabytes cost nothing, and with a margin, so that no half of a secret
  // remains.
  const clean = maskSecrets(text.slice(0, MAX_VALUE_CHARS * 4));
  return clean.length > MAX_VALUE_CHARS || text.length > MAX_VALUE_CHARS * 4
    ? `${clean.slice(0, MAX_VALUE_CHARS - 1)}…`
    : clean;
}

/** Returns a value that is safe to log: types aren't enforced at run time, so others become their type's name. */
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

const LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Writes log lines. Each call queues one line and returns at once; none throws, whatever its arguments. */
export interface Log {
  debug(event: string, fields: Fields): void;
  info(event: string, fields: Fields): void;
  warn(event: string, fields: Fields): void;
  error(event: string, fields: Fields): void;
}

export interface LogHealth {
  readonly path: string;
  /** Counts the lines that could not be written since the start. */
  readonly lostLines: number;
  /** The code of the last failure; null if writing works. */
  readonly failure: string | null;
}

export interface FileLog extends Log {
  /** Settles when all lines queued so far are written or lost; never rejects. */
  flush(): Promise<void>;
  health(): LogHealth;
}

interface LogInput {
  /** The file's absolute path. */
  readonly path: string;
  /** The least severe level that is written. */
  readonly level: LogLevel;
  readonly limits: RotationLimits;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Limits the queue: if more text is waiting, the disk can't keep up, and lines are dropped to save memory.
 */
const QUEUE_CHARS = 1_048_576;

/** Creates a log of JSON lines `{at, level, event, …fields}`, bounded by size and age. */
export function createLog(input: LogInput): FileLog {
  const file = openRotatingFile(input.path, input.limits, input.now);
  const threshold = LEVELS.indexOf(input.level);
  let queue: string[] = [];
  let queuedChars = 0;
  let lostLines = 0;
  let failure: string | null = null;
  let draining: Promise<void> | null = null;

  function write(level: LogLevel, event: string, fields: Fields): void {
    if (LEVELS.indexOf(level) > threshold) return;
    const line = tryFormatLine(level, event, fields);
    if (line === null || queuedChars + line.length > QUEUE_CHARS) {
      lostLines += 1;
      return;
    }
    queue.push(line);
    queuedChars += line.length;
    draining ??= drain();
  }

  /**
   * Formats a line. A caller's mistake (such as a throwing getter) loses the line, and never reaches the
   * caller.
   */
  function tryFormatLine(level: LogLevel, event: string, fields: Fields): string | null {
    try {
      return formatLine(new Date(input.now()).toISOString(), level, event, fields);
    } catch (error) {
      failure = toFailureCode(error);
      return null;
    }
  }

  /** Writes one batch at a time; lines queued in the meantime go with the next batch. */
  async function drain(): Promise<void> {
    await Promise.resolve();
    while (queue.length > 0) {
      const lines = queue;
      queue = [];
      queuedChars = 0;
      try {
        await file.append(lines.join(""));
        failure = null;
      } catch (error) {
        lostLines += lines.length;
        failure = toFailureCode(error);
      }
    }
    draining = null;
  }

  return {
    debug: (event, fields) => write("debug", event, fields),
    info: (event, fields) => write("info", event, fields),
    warn: (event, fields) => write("warn", event, fields),
    error: (event, fields) => write("error", event, fields),
    flush: () => draining ?? Promise.resolve(),
    health: () => ({ path: input.path, lostLines, failure }),
  };
}

function formatLine(at: string, level: LogLevel, event: string, fields: Fields): string {
  const line: Record<string, unknown> = { at, level, event: redactText(event) };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || Object.hasOwn(line, name)) continue;
    line[redactText(name)] = redactValue(value);
  }
  return `${JSON.stringify(line)}\n`;
}

function toFailureCode(thrown: unknown): string {
  const { code, error } = toFaultFields(thrown);
  return code ?? error;
}
