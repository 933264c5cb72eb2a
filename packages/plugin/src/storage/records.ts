// Locations, epochs, entries and turns as stored, and a session's ledger.
import type { Snapshot, SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { EpochCause } from "../projection/boundary.ts";
import type { Edit } from "../projection/edit.ts";

export { type EpochCause, epochCauses } from "../projection/boundary.ts";

export type SessionId = string & { readonly __brand: "SessionId" };

/** A repository's first commit, or the folder of a project without one; `project/` finds it. */
export type ProjectId = string & { readonly __brand: "ProjectId" };

/** The directory and worktree that a session runs in. */
export interface Location {
  readonly directory: string;
  readonly worktree: string;
}

/** The span in which one Baseline stays the immutable prefix. Rows are never updated. */
export interface EpochRecord {
  readonly sessionId: SessionId;
  /** Rank in the session, from 1. Epochs and ledger entries share one sequence per session. */
  readonly seq: number;
  readonly cause: EpochCause;
  readonly location: Location;
  /**
   * The message that must stand in the host's array for the epoch to be the current one: a compaction's
   * summary, or the last message of the fold that the epoch began with. Null: genesis.
   */
  readonly startMessageId: string | null;
  /** The exact text that is sent. */
  readonly baseline: string;
  readonly parts: readonly KeyedText[];
  readonly snapshot: Snapshot;
  readonly startedAtMs: number;
}

/**
 * One entry of the ledger. `edit` is null for a witness: the host itself showed the model what
 * `announced` says (a nested instruction in a tool result), so nothing is changed on the wire, but the
 * belief is recorded with the place where it stands.
 */
export interface EntryRecord {
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly epochSeq: number;
  /** The policy that drafted it. */
  readonly origin: string;
  /** Where the entry stands: the edit's anchor, a fold's first message, or the part that was witnessed. */
  readonly messageId: string;
  readonly partId: string | null;
  /** A fold's last message; null for all else. */
  readonly endMessageId: string | null;
  readonly edit: Edit | null;
  /** What the entry announces, by key: its texts, and how it changes the Snapshot. Empty for pure history edits. */
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
  readonly decidedAtMs: number;
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

/** One provider turn: a model call of the main loop. */
export interface TurnRecord {
  readonly sessionId: SessionId;
  /** Rank among the session's turns, from 1. */
  readonly seq: number;
  readonly epochSeq: number;
  readonly providerId: string;
  readonly modelId: string;
  readonly agent: string;
  /** Unique in the session and rising with \`seq\`, also where the clock was set back. */
  readonly sentAtMs: number;
  /** Ids of the messages that no earlier turn of this epoch had sent. */
  readonly newMessageIds: readonly string[];
  readonly digests: LayerDigests;
  /** Why the provider's cache of what was sent before can't have been used whole; null: no reason known. */
  readonly bust: string | null;
  readonly usage: TurnUsage | null;
  /** Null while it is not settled, and where the host has no price. */
  readonly cost: TurnCost | null;
}

/** A turn as far as its bill goes: without what its history was made of. */
export type TurnFigures = Omit<TurnRecord, "newMessageIds" | "digests">;

/** An edit of an epoch that is about to begin, stored before it is sent. */
export interface PreparedEdit {
  readonly origin: string;
  readonly edit: Edit;
}

/** All that is stored of a session's projection. */
export interface SessionLedger {
  readonly epochs: readonly EpochRecord[];
  readonly entries: readonly EntryRecord[];
}
