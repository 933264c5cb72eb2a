// Which of a session's recent model calls made an assistant message.
import type { SessionId } from "../storage/records.ts";

interface RecentCall {
  /** Ids of its history. */
  readonly ids: readonly string[];
  /** What identifies its turn; null: it has none, as nothing of ours was sent in it, or it has its figures. */
  sentAtMs: number | null;
}

/** A report comes before the call after the next one begins. */
const MAX_CALLS = 2;

/**
 * Calls are matched with their answers by identity: a session's calls follow each other, and a call's
 * answer first stands in the history of the next one. The clock says nothing here, as it may be set back,
 * and neither does the order of messages: the host then puts new ones before old ones.
 */
export class RecentCalls {
  readonly #calls = new Map<SessionId, RecentCall[]>();

  /** @param ids of its history */
  begin(sessionId: SessionId, ids: readonly string[]): void {
    const calls = this.#calls.get(sessionId) ?? [];
    this.#calls.set(sessionId, [...calls.slice(1 - MAX_CALLS), { ids, sentAtMs: null }]);
  }

  /** The call that was begun last has a turn, which is identified by `sentAtMs`. */
  sent(sessionId: SessionId, sentAtMs: number): void {
    const newest = this.#calls.get(sessionId)?.at(-1);
    if (newest) newest.sentAtMs = sentAtMs;
  }

  /** The turn of the call that made this message, once; null where there is none. */
  takeSentAtMs(sessionId: SessionId, messageId: string): number | null {
    const call = this.#calls.get(sessionId)?.findLast(({ ids }) => !ids.includes(messageId));
    if (!call) return null;
    const { sentAtMs } = call;
    call.sentAtMs = null;
    return sentAtMs;
  }

  forget(sessionId: SessionId): void {
    this.#calls.delete(sessionId);
  }
}
