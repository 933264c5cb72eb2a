// Formats numbers, sizes, times and line breaks of reports.
import type { EpochCause } from "../storage/records.ts";

/**
 * The columns that a report keeps to, long paths and single words aside: what the host's terminal of 80 columns
 * leaves to a message.
 */
export const WIDTH = 72;

const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** Formats a whole number with thousands separators, the same in every locale. */
export function count(value: number): string {
  return String(Math.round(value)).replace(THOUSANDS, ",");
}

/** Formats `1 call`, `1,200 calls`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function size(bytes: number): string {
  if (bytes < 10_000) return `${count(bytes)} bytes`;
  if (bytes < 10_000_000) return `${count(bytes / 1000)} kB`;
  return `${count(bytes / 1_000_000)} MB`;
}

export function percent(rate: number | null): string {
  return rate === null ? "–" : `${Math.floor(rate * 100)}%`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats how long ago; clocks of several processes differ, so a future time is just now. */
export function formatAgo(thenMs: number, nowMs: number): string {
  const passed = nowMs - thenMs;
  if (passed < 5 * SECOND) return "just now";
  if (passed < 2 * MINUTE) return `${Math.floor(passed / SECOND)} s ago`;
  if (passed < 2 * HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < 2 * DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${Math.floor(passed / DAY)} days ago`;
}

export function epochCause(cause: EpochCause): string {
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

const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Draws one column per rate from 0 to 1, and a dot where there is none. */
export function sparkline(rates: readonly (number | null)[]): string {
  return rates
    .map((rate) => (rate === null ? "·" : LEVELS[Math.min(7, Math.floor(rate * 8))]))
    .join("");
}

/** Cuts a text to at most `width` columns. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Breaks at spaces; later lines stand under the text of the first, which follows `head`. */
export function wrap(head: string, text: string): readonly string[] {
  const freeWidth = WIDTH - head.length;
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
