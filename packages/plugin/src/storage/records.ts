// The values that rows of the ledger and of turns consist of.

export { type EpochCause, epochCauses } from "../ledger/boundary.ts";

export type SessionId = string & { readonly __brand: "SessionId" };

/**
 * Identifies a project by its repository's first commit, or by its folder if there is none; see `project/`.
 */
export type ProjectId = string & { readonly __brand: "ProjectId" };

/** Names the directory and worktree that a session runs in. */
export interface Location {
  readonly directory: string;
  readonly worktree: string;
}

/** Holds digests of the layers of a call, 16 hex digits each. */
export interface LayerDigests {
  readonly tools: string;
  readonly preamble: string;
  readonly baseline: string;
  /** Covers unknown blocks and the prompt's own system, sent after the Baseline. */
  readonly live: string;
  /** Covers the messages up to and including the last one sent. */
  readonly history: string;
  /**
   * Covers the messages up to the previous call's last one, as sent now; equal to that call's `history` if
   * nothing moved.
   */
  readonly historyAtWatermark: string;
}

/** Holds what the provider reported for a call, in tokens. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Holds a call's cost in billionths of a US dollar, by the host's own price record. */
export interface TurnCost {
  readonly paidNanos: number;
  /**
   * Estimates how much more OpenCode alone would have paid for the call; negative if it would have paid less.
   */
  readonly savedNanos: number;
}

/** Counts a call's updates, in bytes of UTF-8, that OpenCode alone would have put into its system prompt. */
export interface UpdateBytes {
  /** Bytes that this call sent for the first time. */
  readonly announced: number;
  /** Bytes that earlier calls of the same epoch had sent. */
  readonly carried: number;
}

/** Says why a call could not read the cache, as found when the call's figures came. */
export interface BustCause {
  /** A known cause replaces the cause named at the send; a guess applies only if none was named. */
  readonly kind: "known" | "guessed";
  readonly cause: string;
}

/** Holds a call's outcome as the provider reported it. */
export interface TurnOutcome {
  readonly usage: TurnUsage;
  /** The call's cost; null if the host has no price for the model. */
  readonly cost: TurnCost | null;
  readonly bust: BustCause | null;
  /** Identifies the turn in its session. */
  readonly sentAtMs: number;
}
