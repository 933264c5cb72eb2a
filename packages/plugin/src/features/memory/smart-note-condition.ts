// Reads a smart note's condition from a few words, and writes it out again. Pure.
import * as z from "zod";

// The stored form of a reminder's condition.

export const conditionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("date"), atMs: z.int() }),
  /** `was` is the file's state when the reminder was written; null if the file did not exist. */
  z.object({ kind: z.literal("file"), path: z.string(), was: z.string().nullable() }),
  z.object({ kind: z.literal("command"), line: z.string() }),
  z.object({ kind: z.literal("question"), question: z.string() }),
]);

export type Condition = z.infer<typeof conditionSchema>;

const UNIT_DURATIONS_MS = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

const DATE_PATTERN = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?$/;
const SPAN_PATTERN = /^in (\d{1,4}) (minute|hour|day|week)s?$/i;
const KEYWORD_PATTERN = /^(file|command|ask)\s+(\S[\s\S]*)$/i;

/**
 * Returns null if the words state no condition. Dates are in the machine's time zone; `was` is null for a
 * file, as no file is read here.
 */
export function parseCondition(written: string, nowMs: number): Condition | null {
  const words = written.trim();
  const [, count = "", unit = ""] = SPAN_PATTERN.exec(words) ?? [];
  const unitMs = UNIT_DURATIONS_MS[unit.toLowerCase() as keyof typeof UNIT_DURATIONS_MS];
  if (unitMs !== undefined) return { kind: "date", atMs: nowMs + Number(count) * unitMs };
  const date = DATE_PATTERN.exec(words);
  if (date) return parseDate(date);
  const [, word = "", rest = ""] = KEYWORD_PATTERN.exec(words) ?? [];
  switch (word.toLowerCase()) {
    case "file":
      return { kind: "file", path: rest.trim(), was: null };
    case "command":
      return { kind: "command", line: rest.trim() };
    case "ask":
      return { kind: "question", question: rest.trim() };
    default:
      return null;
  }
}

/** Returns null for a date or a time that doesn't exist. */
function parseDate([
  ,
  year,
  month,
  day,
  hour = "0",
  minute = "0",
]: RegExpExecArray): Condition | null {
  const at = new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
  const isMeant = at.getMonth() === Number(month) - 1 && at.getDate() === Number(day);
  return isMeant && Number(hour) < 24 && Number(minute) < 60
    ? { kind: "date", atMs: at.getTime() }
    : null;
}

/** Completes a sentence after "when" or "as": `the time is 2026-12-01 14:00`. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "date":
      return `the time is ${formatLocalTime(condition.atMs)}`;
    case "file":
      return condition.was === null
        ? `${condition.path} is there`
        : `${condition.path} has changed`;
    case "command":
      return `\`${condition.line}\` exits with 0`;
    case "question":
      return `a model says yes to: ${condition.question}`;
  }
}

function formatLocalTime(atMs: number): string {
  const at = new Date(atMs);
  const padTwo = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`;
  return `${day} ${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`;
}
