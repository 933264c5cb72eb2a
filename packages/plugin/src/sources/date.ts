// `core/date`: the calendar day, in the machine's time zone or a configured one.
import * as z from "zod";
import { type SourceDefinition, toWellFormed } from "../context/source.ts";

/** A calendar day, as the host prints it: "Sat Nov 21 2026". */
type Day = string;

/** Configures the day: the time zone is an IANA one such as "Asia/Tokyo", or null for the host's own. */
interface DateOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timeZone: string | null;
}

/** Builds the source. @throws RangeError for a time zone that `isTimeZone` refuses. */
export function createDateSource({ now, timeZone }: DateOptions): SourceDefinition<Day> {
  const formatDay = createDayReader(timeZone);
  return {
    key: "core/date",
    schema: z.string().min(1),
    load: () => formatDay(now()),
    baseline: (current) => `Today's date: ${current}`,
    update: (_previous, current) => `Today's date is now: ${current}`,
  };
}

export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds a function that turns a time into a day.
 * @throws RangeError for a time zone that `isTimeZone` refuses.
 */
export function createDayReader(timeZone: string | null): (epochMs: number) => Day {
  if (timeZone === null) return (epochMs) => new Date(epochMs).toDateString();
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    weekday: "short",
    month: "short",
    day: "2-digit",
    year: "numeric",
  });
  return (epochMs) => {
    const parts = format.formatToParts(epochMs);
    const findPart = (type: Intl.DateTimeFormatPartTypes) =>
      parts.find((candidate) => candidate.type === type)?.value ?? "";
    return `${findPart("weekday")} ${findPart("month")} ${findPart("day")} ${findPart("year").padStart(4, "0")}`;
  };
}

const dateLinePattern = /\n {2}Today's date: ([^\n]*)\n<\/env>$/;

/** Reads the day from a frozen environment block; null if it can't be read. */
export function parseDate(frozen: string): Day | null {
  const day = dateLinePattern.exec(frozen)?.[1];
  return day === undefined || day === "" ? null : toWellFormed(day);
}

/** Returns the environment block with `day` in its date line; unchanged if it has no such line. */
export function replaceDate(block: string, day: Day): string {
  return block.replace(dateLinePattern, () => `\n  Today's date: ${day}\n</env>`);
}
