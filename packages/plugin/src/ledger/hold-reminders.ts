// Keeps the reminders that the host sends only once.
import { createHistoryDraft, type Draft, type Entry } from "./entry.ts";
import { type HostPart, isText } from "./message.ts";
import type { BoundaryView, Policy } from "./policy.ts";

/**
 * The openings of reminders that the host pushes into the newest user message in memory only, and drops when
 * that message is no longer the newest (OpenCode 1.18.33: plan mode, and the switch back to building).
 */
const REMINDER_OPENINGS = [
  "<system-reminder>\n# Plan Mode - System Reminder",
  "<system-reminder>\nYour operational mode has changed from plan to build.",
];

function readReminderText(part: HostPart): string | null {
  if (!isText(part) || part.synthetic !== true) return null;
  return REMINDER_OPENINGS.some((opening) => part.text.startsWith(opening)) ? part.text : null;
}

/** Records each reminder that is about to be sent for the first time, at the place where it stands. */
export const holdReminders: Policy = { name: "hold-reminders", scope: "epoch", draft };

function draft({ messages, standing }: BoundaryView): readonly Draft[] {
  const message = messages.findLast((candidate) => candidate.info.role === "user");
  if (!message) return [];
  const drafts: Draft[] = [];
  let before: string | null = null;
  for (const part of message.parts) {
    const text = readReminderText(part);
    if (text === null) {
      before = part.id;
      continue;
    }
    const after = { messageId: message.info.id, partId: before };
    if (isHeld(standing, message.info.id, text)) continue;
    drafts.push(createHistoryDraft({ verb: "insert", after, text }));
  }
  return drafts;
}

function isHeld(standing: readonly Entry[], messageId: string, text: string): boolean {
  return standing.some(
    ({ edit }) =>
      edit?.verb === "insert" && edit.after.messageId === messageId && edit.text === text,
  );
}
