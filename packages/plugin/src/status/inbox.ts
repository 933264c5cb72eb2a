// What the store holds of a session's inbox.
import type { InboxCounts } from "../storage/overview-records.ts";
import { counted } from "./wording.ts";

/** What a session's inbox holds, counted; no text of a prompt is in it. */
export interface InboxStatus {
  readonly waiting: number;
  /** On their way into the conversation, or never arrived there. */
  readonly unread: number;
  /** In the conversation, and without an answer. */
  readonly unanswered: number;
  /** Turned back for a required source that could not load. */
  readonly refused: number;
}

export function readInbox(counts: InboxCounts): InboxStatus {
  const { waiting, handed, saved, promoted, refused } = counts;
  return { waiting, unread: handed + saved, unanswered: promoted, refused };
}

/** In a sentence; null where there is nothing to say. */
export function inboxLine(inbox: InboxStatus): string | null {
  const said = [
    [inbox.waiting, "in the queue"],
    [inbox.unread, "that no call has had"],
    [inbox.unanswered, "without an answer"],
    [inbox.refused, "turned back"],
  ] as const;
  const parts = said.flatMap(([count, how]) =>
    count > 0 ? [`${counted(count, "prompt")} ${how}`] : [],
  );
  if (parts.length === 0) return null;
  return `${parts.join(", ")}. /ctx-queue lists what waits, /ctx-resume continues.`;
}
