// Explains why a turn could not read its cache.
import type { FormCause } from "../storage/form-store.ts";
import type { LayerDigests, SessionId, TurnUsage } from "../storage/records.ts";
import { OWN_BUST_CAUSE } from "../storage/turn-figures.ts";
import type { OwnRewrite } from "./pass.ts";

// Finds which of a session's recent model calls made an assistant message.

interface RecentCall {
  /** The ids of the messages in the call's history. */
  readonly ids: readonly string[];
  /**
   * The time that identifies the call's turn; null if nothing of ours was sent in it, or if its figures have
   * arrived.
   */
  sentAtMs: number | null;
}

/** Two calls are enough, because a call's report comes before the second call after that call begins. */
const MAX_RECENT_CALLS = 2;

/**
 * Matches calls with their answers by ids: a session's calls follow each other, and a call's answer first
 * appears in the history of the next call. The clock proves nothing, because it may be set back, and neither
 * does the order of messages: the host then puts new ones before old ones.
 */
export class RecentCalls {
  readonly #calls = new Map<SessionId, RecentCall[]>();

  /** Begins a call. @param ids the ids of the messages in the call's history */
  begin(sessionId: SessionId, ids: readonly string[]): void {
    const calls = this.#calls.get(sessionId) ?? [];
    this.#calls.set(sessionId, [...calls.slice(1 - MAX_RECENT_CALLS), { ids, sentAtMs: null }]);
  }

  /** Records that the call that began last has a turn, which `sentAtMs` identifies. */
  recordSent(sessionId: SessionId, sentAtMs: number): void {
    const newest = this.#calls.get(sessionId)?.at(-1);
    if (newest) newest.sentAtMs = sentAtMs;
  }

  /**
   * Returns, once, the time that identifies the turn of the call that made this message; null if there is
   * none.
   */
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

/** The facts of a provider turn that decide whether the next one can read its cache. */
export interface TurnTrace {
  readonly epochSeq: number;
  readonly sentAtMs: number;
  readonly digests: LayerDigests;
  readonly usage: TurnUsage | null;
  /**
   * `new epoch` if an epoch began with this turn: the cache that the turn did not read was given up for a
   * reason.
   */
  readonly opening: "new epoch" | "same epoch";
}

export interface BustInput {
  /** The newest turn of the same session and model; null if there is none, and so no cache to read. */
  readonly former: TurnTrace | null;
  readonly current: Omit<TurnTrace, "usage" | "opening">;
  /** The newest rewrite of the session's history by our own edits; null if none is known. */
  readonly rewrite: OwnRewrite | null;
  /** An MCP server whose tools have come, gone or changed since the former turn; null if there is none. */
  readonly changedServer: string | null;
  /** The length of the pause since the former turn, if it outlasted the provider's cache; otherwise null. */
  readonly coldPauseMs: number | null;
}

/**
 * Says whether an epoch begins with the current turn. An epoch begins for a reason, so the cache that it
 * gives up is not a bust.
 */
export function opensEpoch(
  former: Pick<TurnTrace, "epochSeq"> | null,
  current: Pick<TurnTrace, "epochSeq">,
): boolean {
  return former !== null && current.epochSeq > former.epochSeq;
}

/** Explains why the previous turn's cache can't be used in full, most stable layer first; null if it can. */
export function explainBust(input: BustInput): string | null {
  const { former, current, changedServer, rewrite, coldPauseMs } = input;
  if (!former || opensEpoch(former, current)) return null;
  const before = former.digests;
  const now = current.digests;
  if (coldPauseMs !== null) {
    return `idle for ${Math.round(coldPauseMs / 60_000)} min, beyond the cache's life`;
  }
  if (changedServer !== null) {
    return `the tool list changed: those of the MCP server ${changedServer}`;
  }
  if (before.tools !== now.tools) return "the tool list changed";
  if (before.preamble !== now.preamble) return "the agent's own prompt changed";
  if (former.epochSeq !== current.epochSeq) return "an undo brought an earlier epoch back";
  if (before.baseline !== now.baseline) return "the Baseline was not sent as stored";
  if (before.live !== now.live) {
    return "a live block changed: the prompt's own system, or another plugin's text";
  }
  if (before.history !== now.historyAtWatermark) {
    if (rewrite && rewrite.atMs > former.sentAtMs) return explainRewrite(rewrite);
    return "sent history changed: an undo, another plugin, or the host";
  }
  return null;
}

/** Explains one of our own rewrites, whose cost is accepted knowingly. */
function explainRewrite({ boundary }: OwnRewrite): string {
  switch (boundary) {
    case "pressure":
      return `${OWN_BUST_CAUSE}: the call would not have fitted`;
    case "command":
      return `${OWN_BUST_CAUSE}: a command asked for it`;
    case "worth":
      return `${OWN_BUST_CAUSE}: reading it had cost as much as writing the rest again`;
    default:
      return `${OWN_BUST_CAUSE} where the cache was given up (${boundary})`;
  }
}

/** The reasons why updates that a model had been sent in its own instruction role went back to text. */
export type FallbackCause = Exclude<FormCause, "first">;

/** Explains a fallback. The sent history changes from the first update that falls back. */
export function explainFallback(why: FallbackCause): string {
  switch (why) {
    case "place":
      return "an update went back to text: after a later message, the provider no longer accepts its own role there";
    case "refused":
      return "updates went back to text: the provider refused them in its own role";
  }
}

/** Providers do not cache fewer tokens than this, so a missing read of fewer means nothing. */
const MIN_CACHEABLE_TOKENS = 2048;

/**
 * Explains, by the provider's figures, a turn that should have been read from the cache and was not;
 * otherwise null.
 */
export function explainMissedRead(trace: TurnTrace, current: TurnUsage): string | null {
  const former = trace.usage;
  if (!former || trace.opening === "new epoch") return null;
  const readable = former.cacheReadTokens + former.cacheWriteTokens;
  if (readable < MIN_CACHEABLE_TOKENS || current.cacheReadTokens >= readable / 2) return null;
  return `the provider read ${current.cacheReadTokens} of ${readable} cached tokens, for an unknown reason`;
}
