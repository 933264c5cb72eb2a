// Finds which of a session's recent model calls made an assistant message.
import type { SessionId } from "../storage/records.ts";

interface RecentCall {
  /** Ids of its history. */
  readonly ids: readonly string[];
  /** The time that identifies its turn; null: nothing of ours was sent in it, or its figures have arrived. */
  sentAtMs: number | null;
}

/** A report comes before the call after the next one begins. */
const MAX_CALLS = 2;

/**
 * Matches calls with their answers by identity: a session's calls follow each other, and a call's answer first
 * stands in the history of the next one. The clock may be set back, so it proves nothing, and neither does the
 * order of messages: the host then puts new ones before old ones.
 */
export class RecentCalls {
  readonly #calls = new Map<SessionId, RecentCall[]>();

  /** @param ids ids of its history */
  begin(sessionId: SessionId, ids: readonly string[]): void {
    const calls = this.#calls.get(sessionId) ?? [];
    this.#calls.set(sessionId, [...calls.slice(1 - MAX_CALLS), { ids, sentAtMs: null }]);
  }

  /** Records that the call begun last has a turn, which `sentAtMs` identifies. */
  sent(sessionId: SessionId, sentAtMs: number): void {
    const newest = this.#calls.get(sessionId)?.at(-1);
    if (newest) newest.sentAtMs = sentAtMs;
  }

  /** Returns the turn of the call that made this message, once; null if there is none. */
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
