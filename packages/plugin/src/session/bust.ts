// Explains why a turn could not read its cache.
import type { FormCause } from "../storage/form-store.ts";
import type { LayerDigests, SessionId, TurnUsage } from "../storage/records.ts";
import { OWN_BUST_CAUSE } from "../storage/turn-figures.ts";
import type { OwnRewrite } from "./pass.ts";

// Finds which of a session's recent model calls made an assistant message.

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
  recordSent(sessionId: SessionId, sentAtMs: number): void {
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

/** The facts of a provider turn that decide whether the next one can read its cache. */
export interface TurnTrace {
  readonly epochSeq: number;
  readonly sentAtMs: number;
  readonly digests: LayerDigests;
  readonly usage: TurnUsage | null;
  /** `new epoch` if one began with this turn: what it did not read was given up for a reason. */
  readonly opening: "new epoch" | "same epoch";
}

export interface BustInput {
  /** The newest turn of the same session and model; null if there is none, and so nothing to read. */
  readonly former: TurnTrace | null;
  readonly current: Omit<TurnTrace, "usage" | "opening">;
  /** The session's newest rewrite of its own; null if none is known. */
  readonly rewrite: OwnRewrite | null;
  /** An MCP server whose tools came, went or changed since the former turn. */
  readonly changedServer: string | null;
  /** The length of the pause since the former turn, where it outlasted the provider's cache; else null. */
  readonly coldPauseMs: number | null;
}

/**
 * Returns true if an epoch opens. It does so for a reason and begins with what it reads, and that is not a bust.
 */
export function opensEpoch(
  former: Pick<TurnTrace, "epochSeq"> | null,
  current: Pick<TurnTrace, "epochSeq">,
): boolean {
  return former !== null && current.epochSeq > former.epochSeq;
}

/** Explains why the cache of what was sent before can't be used whole, most stable layer first; null if it can. */
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

/** Explains a rewrite of our own, which is paid for knowingly. */
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

/** Explains a fallback. What is sent changes from the first such update on. */
export function explainFallback(why: FallbackCause): string {
  switch (why) {
    case "place":
      return "an update went back to text: after a later message, the provider no longer accepts its own role there";
    case "refused":
      return "updates went back to text: the provider refused them in its own role";
  }
}

/** Providers do not cache fewer tokens than this, so that a missing read means nothing. */
const MIN_CACHEABLE_TOKENS = 2048;

/** Explains, by the provider's figures, a turn that should have been read from the cache and was not. */
export function explainMissedRead(trace: TurnTrace, current: TurnUsage): string | null {
  const former = trace.usage;
  if (!former || trace.opening === "new epoch") return null;
  const readable = former.cacheReadTokens + former.cacheWriteTokens;
  if (readable < MIN_CACHEABLE_TOKENS || current.cacheReadTokens >= readable / 2) return null;
  return `the provider read ${current.cacheReadTokens} of ${readable} cached tokens, for an unknown reason`;
}
