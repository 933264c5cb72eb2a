// Formats numbers, sizes, times and text for reports; no stored character can control a terminal.
import type { EpochCause } from "../storage/records.ts";

// Shows control characters as text, so that nothing stored can control a terminal.

/**
 * Matches C0, DEL and C1, which terminals act on; line and paragraph separators; and the characters that turn
 * the direction of writing, which make a text look like another one.
 */
const CONTROL_CHARS_PATTERN = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Renders a text that stands within a line, with control characters shown as `\x1b`, `\n` or `\u202e`. */
export function makeVisible(text: string): string {
  return text.replace(
    CONTROL_CHARS_PATTERN,
    (character) => NAMED_ESCAPES[character] ?? escapeCharacter(character),
  );
}

/** Renders a text that has lines of its own, and keeps its line breaks and tabs. */
export function makeLinesVisible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/[^\n\t]+/g, makeVisible);
}

/** Returns a value with every string in it made visible; a field called `text` keeps its lines. */
export function makeStringsVisible<T>(value: T): T {
  return mapDeep(value, makeVisible) as T;
}

function mapDeep(value: unknown, show: (text: string) => string): unknown {
  if (typeof value === "string") return show(value);
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, show));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      makeVisible(name),
      mapDeep(field, name === "text" ? makeLinesVisible : makeVisible),
    ]),
  );
}

/** Returns equal JSON without control characters, because JSON.stringify escapes C0 alone. */
export function makeJsonVisible(json: string): string {
  return json.replace(/[^\n]+/g, (line) => line.replace(CONTROL_CHARS_PATTERN, toUnicodeEscape));
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0xff ? toUnicodeEscape(character) : `\\x${code.toString(16).padStart(2, "0")}`;
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The columns that a report keeps to, except for long paths and single words: what the host's 80-column
 * terminal leaves for a message.
 */
export const LINE_WIDTH = 72;

const THOUSANDS_PATTERN = /\B(?=(\d{3})+$)/g;

/** Formats a whole number with thousands separators, the same in every locale. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(THOUSANDS_PATTERN, ",");
}

/** Formats a count with its noun: `1 call`, `1,200 calls`. */
export function renderCount(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function renderSize(bytes: number): string {
  if (bytes < 10_000) return `${formatCount(bytes)} bytes`;
  if (bytes < 10_000_000) return `${formatCount(bytes / 1000)} kB`;
  return `${formatCount(bytes / 1_000_000)} MB`;
}

export function renderPercent(rate: number | null): string {
  return rate === null ? "–" : `${Math.floor(rate * 100)}%`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Formats how long ago a time was; clocks of several processes differ, so a future time counts as just now.
 */
export function formatAgo(thenMs: number, nowMs: number): string {
  const passed = nowMs - thenMs;
  if (passed < 5 * SECOND_MS) return "just now";
  if (passed < 2 * MINUTE_MS) return `${Math.floor(passed / SECOND_MS)} s ago`;
  if (passed < 2 * HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`;
  if (passed < 2 * DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`;
  return `${Math.floor(passed / DAY_MS)} days ago`;
}

export function describeEpochCause(cause: EpochCause): string {
  switch (cause) {
    case "first":
      return "with the session's first call";
    case "compacted":
      return "after a compaction";
    case "moved":
      return "when the session moved to another directory";
    case "replaced":
      return "because a source could not be updated by a text";
    case "model":
      return "with a switch of model";
    case "folded":
      return "when older messages were folded";
  }
}

const SPARK_LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Draws one column per rate from 0 to 1, and a dot for a missing rate. */
export function renderSparkline(rates: readonly (number | null)[]): string {
  return rates
    .map((rate) => (rate === null ? "·" : SPARK_LEVELS[Math.min(7, Math.floor(rate * 8))]))
    .join("");
}

/** Cuts a text to at most `width` columns. */
export function cutText(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Wraps a text at spaces; later lines are indented to the text of the first line, which follows `head`. */
export function wrap(head: string, text: string): readonly string[] {
  const freeWidth = LINE_WIDTH - head.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= freeWidth || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines.map((each, index) => (index === 0 ? head : " ".repeat(head.length)) + each);
}
