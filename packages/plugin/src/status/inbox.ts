// Counts what the store holds of a session's inbox.
import type { InboxCounts } from "../storage/overview-records.ts";
import { counted } from "./wording.ts";

/** The counts of a session's inbox, without the text of any prompt. */
export interface InboxStatus {
  readonly waiting: number;
  /** Prompts on their way into the conversation, or that never arrived there. */
  readonly unread: number;
  /** Prompts in the conversation without an answer. */
  readonly unanswered: number;
  /** Prompts refused for a required source that could not load. */
  readonly refused: number;
}

export function readInbox(counts: InboxCounts): InboxStatus {
  const { waiting, handed, saved, promoted, refused } = counts;
  return { waiting, unread: handed + saved, unanswered: promoted, refused };
}

/** Renders the counts in a sentence; null where there is nothing to report. */
export function inboxLine(inbox: InboxStatus): string | null {
  const said = [
    [inbox.waiting, "in the queue"],
    [inbox.unread, "not in any call yet"],
    [inbox.unanswered, "without an answer"],
    [inbox.refused, "refused"],
  ] as const;
  const parts = said.flatMap(([count, how]) =>
    count > 0 ? [`${counted(count, "prompt")} ${how}`] : [],
  );
  if (parts.length === 0) return null;
  return `${parts.join(", ")}. /ctx-queue lists what waits, /ctx-resume continues.`;
}
