// The policy of time marks: a line after a prompt that comes after a long pause.
// Folder: Time marks: a line for the model when a prompt comes after a long pause.
import { wrapUpdate } from "../../context/lowering.ts";
import { type Draft, historyDraft } from "../../policies/draft.ts";
import type { Policy } from "../../policies/policy.ts";
import type { View } from "../../policies/view.ts";
import type { HostMessage } from "../../projection/message.ts";

/** The origin of its entries. */
const TIME_MARKS_POLICY = "time-marks";

interface MarkSettings {
  readonly afterMs: number;
  /** A moment as people read it. @param atMs milliseconds since 1970 */
  readonly moment: (atMs: number) => string;
}

/** Everything it says stands in the history: a mark is the same whenever it is decided. */
export function timeMarks(settings: MarkSettings): Policy {
  return { name: TIME_MARKS_POLICY, scope: "session", draft: (view) => draft(view, settings) };
}

function draft({ messages, standing }: View, { afterMs, moment }: MarkSettings): readonly Draft[] {
  const prompt = messages.at(-1);
  const before = messages.at(-2);
  if (prompt?.info.role !== "user" || !before) return [];
  const promptAtMs = createdAtMs(prompt);
  const pausedMs = promptAtMs - endedAtMs(before);
  // Without both times it is not a number, and there is nothing to say.
  if (!(pausedMs >= afterMs)) return [];
  const { id: messageId } = prompt.info;
  const isMarked = standing.some(
    ({ origin, edit }) =>
      origin === TIME_MARKS_POLICY && edit?.verb === "insert" && edit.after.messageId === messageId,
  );
  if (isMarked) return [];
  const text = wrapUpdate(
    `${span(pausedMs)} passed before this message. It was sent at ${moment(promptAtMs)}.`,
  );
  return [historyDraft({ verb: "insert", after: { messageId, partId: null }, text })];
}

function createdAtMs(message: HostMessage): number {
  return timeOf(message, "created");
}

/** When an answer was complete; a prompt, or an answer that never was, when it was made. */
function endedAtMs(message: HostMessage): number {
  const completed = timeOf(message, "completed");
  return Number.isNaN(completed) ? createdAtMs(message) : completed;
}

function timeOf({ info }: HostMessage, name: "created" | "completed"): number {
  const time: unknown = Reflect.get(info, "time");
  const at: unknown = typeof time === "object" && time !== null ? Reflect.get(time, name) : null;
  // An imported session may hold numbers that are not times, and to format one would throw.
  return typeof at === "number" ? new Date(at).getTime() : Number.NaN;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function span(ms: number): string {
  if (ms < 2 * HOUR_MS) return counted(Math.floor(ms / MINUTE_MS), "minute");
  if (ms < 2 * DAY_MS) return counted(Math.floor(ms / HOUR_MS), "hour");
  return counted(Math.floor(ms / DAY_MS), "day");
}

function counted(value: number, unit: string): string {
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}
