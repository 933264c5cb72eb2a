// Which messages the host holds, and whether an entry's place stands.
import type { CallOverview, EntryOverview, EpochOverview } from "../storage/overview-records.ts";

/** Which messages and parts the host holds of a session, as far as an undo leaves them. */
export interface HistoryPresence {
  readonly messageIds: ReadonlySet<string>;
  readonly partIds: ReadonlySet<string>;
}

/** What presence is read from: the structural part of the host's own rows, in its order. */
export interface StoredMessage {
  readonly info: { readonly id: string };
  readonly parts: readonly { readonly id: string }[];
}

/** An undo only marks where the history ends; the next prompt deletes what lies behind. */
export interface UndoMark {
  readonly messageId: string;
  /** The first part that goes; null: the whole message. */
  readonly partId: string | null;
}

export function presenceOf(
  messages: readonly StoredMessage[],
  undo: UndoMark | null,
): HistoryPresence {
  const messageIds = new Set<string>();
  const partIds = new Set<string>();
  for (const { info, parts } of messages) {
    const isMarked = info.id === undo?.messageId;
    if (isMarked && undo.partId === null) break;
    messageIds.add(info.id);
    const end = isMarked ? parts.findIndex((part) => part.id === undo.partId) : -1;
    for (const part of end === -1 ? parts : parts.slice(0, end)) partIds.add(part.id);
    if (isMarked) break;
  }
  return { messageIds, partIds };
}

/** Whether what an entry hangs on is there; `unchecked` without the host's history. */
export type Standing = "standing" | "withdrawn" | "unchecked";

export function standingOf(
  entry: Pick<EntryOverview, "messageId" | "partId">,
  history: HistoryPresence | null,
): Standing {
  if (!history) return "unchecked";
  const isThere =
    entry.partId === null
      ? history.messageIds.has(entry.messageId)
      : history.partIds.has(entry.partId);
  return isThere ? "standing" : "withdrawn";
}

/**
 * The epoch that the session is in. By the host's history: the newest whose start stands. Without
 * it: the one of the newest call; calls are newest first.
 */
export function currentEpoch(
  epochs: readonly EpochOverview[],
  calls: readonly CallOverview[],
  history: HistoryPresence | null,
): EpochOverview | null {
  if (history) {
    const begun = epochs.findLast(
      ({ startMessageId }) => startMessageId === null || history.messageIds.has(startMessageId),
    );
    return begun ?? null;
  }
  const newest = calls[0];
  const called = newest && epochs.find((epoch) => epoch.seq === newest.epochSeq);
  return called ?? epochs.at(-1) ?? null;
}
