// A session's overview in figures, keys and sizes, without its texts.
import type { EntryForm } from "./form-store.ts";
import type { EpochCause, SessionId, TurnUsage } from "./records.ts";
import type { TurnFigures } from "./turn-figures.ts";

/** Holds what status shows of a session: figures, keys and sizes, none of its texts. */
export interface SessionOverview {
  /** The host that the session runs in; null means OpenCode. */
  readonly harness: string | null;
  /** The session's epochs, by rank. */
  readonly epochs: readonly EpochOverview[];
  /** The ledger's entries, by rank. */
  readonly entries: readonly EntryOverview[];
  /** The newest calls, newest first, up to the requested number. */
  readonly calls: readonly CallOverview[];
  /** Totals over all calls of the session. */
  readonly totals: CallTotals;
  readonly bill: BillOverview;
  /** The calls that busted the cache, newest first. */
  readonly busts: readonly CallOverview[];
  /** The brief that the newest compaction received; null if there was none. */
  readonly brief: BriefOverview | null;
  readonly inbox: InboxCounts;
  /** Updates that were at some time sent in the model's own role, by rank; all others went as text. */
  readonly forms: readonly FormOverview[];
}

export interface FormOverview {
  readonly entrySeq: number;
  /** The model as `provider/model`. */
  readonly model: string;
  readonly form: EntryForm;
}

export interface EpochOverview {
  readonly seq: number;
  readonly cause: EpochCause;
  readonly directory: string;
  readonly startedAtMs: number;
  /** The Baseline's size in UTF-8. */
  readonly baselineBytes: number;
  /** The Baseline's xxHash64, 16 hex digits. */
  readonly baselineHash: string;
  /** The keys that the Baseline or its snapshot hold. */
  readonly keys: readonly string[];
}

export interface EntryOverview {
  readonly seq: number;
  readonly epochSeq: number;
  readonly decidedAtMs: number;
  /** The inserted text's size in UTF-8; null where nothing is inserted. */
  readonly insertBytes: number | null;
  /** The size of a fold's text in UTF-8; null where nothing is folded. */
  readonly foldBytes: number | null;
  /** The keys of the announced texts. */
  readonly announcedKeys: readonly string[];
  readonly changes: readonly KeyChange[];
}

/** Says what an entry does to a key of the snapshot. */
export interface KeyChange {
  readonly key: string;
  readonly effect: "stated" | "removed";
}

export interface CallOverview extends TurnFigures {
  /**
   * Tokens that the same model's previous call could leave in the cache (read + written); null: not known.
   */
  readonly readableTokens: number | null;
}

export interface CallTotals extends TurnUsage {
  readonly calls: number;
  /** Counts the calls whose usage the provider has reported. */
  readonly reported: number;
}

/**
 * Compares what was paid with an estimate of what OpenCode alone would have paid, in billionths of a US
 * dollar.
 */
export interface BillOverview {
  /** Counts the calls that the host has a price for. */
  readonly priced: number;
  readonly paidNanos: number;
  /** The saving; negative where OpenCode alone would have paid less. */
  readonly savedNanos: number;
  readonly spared: SparedCalls;
}

/** Counts calls that announced a change which OpenCode alone would have made in its system prompt. */
export interface SparedCalls {
  readonly calls: number;
  /** Tokens that these calls still read from the cache. */
  readonly tokens: number;
}

export interface BriefOverview {
  readonly madeAtMs: number;
  /** The brief's size in UTF-8. */
  readonly bytes: number;
  /** The workflow's stage; null outside of a workflow. */
  readonly stage: string | null;
}

/** Lists the states of an input that is not over. */
export const openInputStates = ["waiting", "handed", "saved", "promoted", "refused"] as const;

/** Counts the inputs in each open state. */
export type InboxCounts = Readonly<Record<(typeof openInputStates)[number], number>>;

export interface OverviewStore {
  /** Reads one state of the database; empty for an unknown session. */
  of(sessionId: SessionId, callCount: number): SessionOverview;
}
