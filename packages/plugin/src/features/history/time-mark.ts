// Defines the policy of time marks: it adds a line after a prompt that follows a long pause.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { createLinePolicy } from "../../ledger/line-at-end.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { Policy } from "../../ledger/policy.ts";
import { createDayReader } from "../../sources/date.ts";

/** The origin recorded for the policy's entries. */
const TIME_MARKS_POLICY = "time-marks";

/**
 * Creates the policy. A mark depends on the history alone, so it is the same whenever it is decided.
 * @param moment formats milliseconds since 1970 for people
 */
function createTimeMarkPolicy(afterMs: number, moment: (atMs: number) => string): Policy {
  return createLinePolicy(TIME_MARKS_POLICY, ({ messages }, prompt) => {
    const before = messages.at(-2);
    if (prompt.info.role !== "user" || !before) return null;
    const promptAtMs = readCreatedAtMs(prompt);
    const pausedMs = promptAtMs - readEndedAtMs(before);
    // If either time is missing, the pause is NaN and no mark is made.
    if (!(pausedMs >= afterMs)) return null;
    return `${renderSpan(pausedMs)} passed before this message. It was sent at ${moment(promptAtMs)}.`;
  });
}

function readCreatedAtMs(message: HostMessage): number {
  return readTime(message, "created");
}

/**
 * Returns the time at which an answer was completed. For a prompt, or an answer that was never completed,
 * returns its creation time.
 */
function readEndedAtMs(message: HostMessage): number {
  const completed = readTime(message, "completed");
  return Number.isNaN(completed) ? readCreatedAtMs(message) : completed;
}

function readTime({ info }: HostMessage, name: "created" | "completed"): number {
  const time: unknown = Reflect.get(info, "time");
  const at: unknown = typeof time === "object" && time !== null ? Reflect.get(time, name) : null;
  // An imported session may hold numbers that are not times, and formatting such a number would throw.
  return typeof at === "number" ? new Date(at).getTime() : Number.NaN;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function renderSpan(ms: number): string {
  if (ms < 2 * HOUR_MS) return renderCount(Math.floor(ms / MINUTE_MS), "minute");
  if (ms < 2 * DAY_MS) return renderCount(Math.floor(ms / HOUR_MS), "hour");
  return renderCount(Math.floor(ms / DAY_MS), "day");
}

function renderCount(value: number, unit: string): string {
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}

// Creates the time marks feature.

const MIN_GAP_MS = 3_600_000;

export function createTimeMarksFeature({
  config,
}: Pick<FeatureContext, "config">): FeatureInstance {
  return {
    policies: [createTimeMarkPolicy(MIN_GAP_MS, createMomentFormatter(config))],
  };
}

/** Creates a formatter of moments in the same time zone as the date that the model is given. */
function createMomentFormatter({
  date: { timeZone },
}: FeatureContext["config"]): (atMs: number) => string {
  const formatDay = createDayReader(timeZone);
  const clock = new Intl.DateTimeFormat("en-GB", {
    ...(timeZone !== null && { timeZone }),
    hour: "2-digit",
    minute: "2-digit",
  });
  return (atMs) => `${clock.format(atMs)} on ${formatDay(atMs)}`;
}
