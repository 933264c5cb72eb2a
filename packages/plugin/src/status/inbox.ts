import type { InboxStore, InputRecord } from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";
import { counted } from "./wording.ts";

/** What the store says of a session's inbox. */
export interface StoredInbox {
  /** How many wait in the queue. */
  readonly waiting: number;
  /** What the host has, or was handed, and has not answered. */
  readonly working: readonly InputRecord[];
}

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

export function gatherInbox(inbox: InboxStore, sessionId: SessionId): StoredInbox {
  return { waiting: inbox.countWaiting(sessionId), working: inbox.working(sessionId) };
}

export function readInbox({ waiting, working }: StoredInbox): InboxStatus {
  const refused = working.filter(({ state }) => state === "refused").length;
  const unread = working.filter(({ state }) => state === "handed" || state === "saved").length;
  return { waiting, unread, refused, unanswered: working.length - refused - unread };
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
  return `${parts.join(", ")}. /ctx-queue lists what waits, /ctx-resume goes on.`;
}
