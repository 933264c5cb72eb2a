// What rows of the ledger and of turns are made of.

export { type EpochCause, epochCauses } from "../ledger/boundary.ts";

export type SessionId = string & { readonly __brand: "SessionId" };

/** A repository's first commit, or the folder of a project without one; `project/` finds it. */
export type ProjectId = string & { readonly __brand: "ProjectId" };

/** The directory and worktree that a session runs in. */
export interface Location {
  readonly directory: string;
  readonly worktree: string;
}

/** Digests of what a call was made of, 16 hex digits each. */
export interface LayerDigests {
  readonly tools: string;
  readonly preamble: string;
  readonly baseline: string;
  /** Unknown blocks and the prompt's own system, sent after the Baseline. */
  readonly live: string;
  /** The messages up to and including the last one sent. */
  readonly history: string;
  /** The messages up to the former call's last one, as sent now: equal to its `history` if nothing moved. */
  readonly historyAtWatermark: string;
}

/** What the provider reported for a call, in tokens. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** In billionths of a US dollar, by the host's own price record. */
export interface TurnCost {
  readonly paidNanos: number;
  /** About what OpenCode alone would have paid more for the call; negative where it would have paid less. */
  readonly savedNanos: number;
}

/** Updates in a call, in bytes of UTF-8, whose news OpenCode alone would have had in its system prompt. */
export interface UpdateBytes {
  /** Sent for the first time in this call. */
  readonly announced: number;
  /** Sent before, in the same epoch. */
  readonly carried: number;
}

/** Why a call could not read the cache, found when its figures came. */
export interface LateCause {
  /** A known one replaces what was named at the send; a guess stands where nothing was. */
  readonly kind: "known" | "guessed";
  readonly cause: string;
}

/** What became of a call, as the provider reported it. */
export interface TurnOutcome {
  readonly usage: TurnUsage;
  /** Null where the host has no price for the model. */
  readonly cost: TurnCost | null;
  readonly bust: LateCause | null;
  /** Identifies the turn in its session. */
  readonly sentAtMs: number;
}
