// Keeps the host's in-memory reminders where they were sent.
import type { LedgerEdit } from "../projection/edit.ts";
import { type HostMessage, type HostPart, isText } from "../projection/message.ts";
import { type Draft, historyDraft } from "./draft.ts";

/**
 * Reminders that the host pushes into the newest user message in memory only, and drops when that
 * message is no longer the newest (OpenCode 1.18.33: plan mode, and the switch back to building).
 */
const REMINDER_OPENINGS = [
  "<system-reminder>\n# Plan Mode - System Reminder",
  "<system-reminder>\nYour operational mode has changed from plan to build.",
];

function reminderText(part: HostPart): string | null {
  if (!isText(part) || part.synthetic !== true) return null;
  return REMINDER_OPENINGS.some((opening) => part.text.startsWith(opening)) ? part.text : null;
}

/** Records each reminder that is about to be sent for the first time, at the place where it stands. */
export function holdReminders(
  messages: readonly HostMessage[],
  held: readonly LedgerEdit[],
): readonly Draft[] {
  const message = messages.findLast((candidate) => candidate.info.role === "user");
  if (!message) return [];
  const drafts: Draft[] = [];
  let before: string | null = null;
  for (const part of message.parts) {
    const text = reminderText(part);
    if (text === null) {
      before = part.id;
      continue;
    }
    const anchor = { messageId: message.info.id, partId: before };
    if (isHeld(held, message.info.id, text)) continue;
    drafts.push(historyDraft(anchor, { verb: "insert", after: anchor, text }));
  }
  return drafts;
}

function isHeld(held: readonly LedgerEdit[], messageId: string, text: string): boolean {
  return held.some(
    ({ edit }) =>
      edit.verb === "insert" && edit.after.messageId === messageId && edit.text === text,
  );
}
