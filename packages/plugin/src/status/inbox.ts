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
  const { waiting, unread, unanswered, refused } = inbox;
  const parts = [
    ...(waiting > 0 ? [`${counted(waiting, "prompt")} in the queue`] : []),
    ...(unread > 0 ? [`${counted(unread, "prompt")} that no call has had`] : []),
    ...(unanswered > 0 ? [`${counted(unanswered, "prompt")} without an answer`] : []),
    ...(refused > 0 ? [`${counted(refused, "prompt")} turned back`] : []),
  ];
  if (parts.length === 0) return null;
  return `${parts.join(", ")}. /ctx-queue lists what waits, /ctx-resume continues.`;
}
