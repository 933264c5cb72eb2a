// What status shows of a session: figures, keys and sizes, no texts.
import type { EntryForm } from "./form-store.ts";
import type { EpochCause, SessionId, TurnUsage } from "./records.ts";
import type { TurnFigures } from "./turn-figures.ts";

/** What status shows of a session: figures, keys and sizes, none of its texts. */
export interface SessionOverview {
  /** Of the host that it runs in; null: OpenCode. */
  readonly harness: string | null;
  /** By rank. */
  readonly epochs: readonly EpochOverview[];
  /** By rank. */
  readonly entries: readonly EntryOverview[];
  /** Newest first, so many as were asked for. */
  readonly calls: readonly CallOverview[];
  /** Of all calls. */
  readonly totals: CallTotals;
  readonly bill: BillOverview;
  /** All calls with a bust, newest first. */
  readonly busts: readonly CallOverview[];
  /** What the newest compaction received; null: none was. */
  readonly brief: BriefOverview | null;
  readonly inbox: InboxCounts;
  /** Updates that models were sent in their own role, or had been, by rank; all others went as text. */
  readonly forms: readonly FormOverview[];
}

export interface FormOverview {
  readonly entrySeq: number;
  /** `provider/model` */
  readonly model: string;
  readonly form: EntryForm;
}

export interface EpochOverview {
  readonly seq: number;
  readonly cause: EpochCause;
  readonly directory: string;
  readonly startedAtMs: number;
  /** In UTF-8. */
  readonly baselineBytes: number;
  /** xxHash64, 16 hex digits. */
  readonly baselineHash: string;
  /** Of what the Baseline or its snapshot hold. */
  readonly keys: readonly string[];
}

export interface EntryOverview {
  readonly seq: number;
  readonly epochSeq: number;
  readonly decidedAtMs: number;
  /** Of the inserted text, in UTF-8; null where nothing is inserted. */
  readonly insertBytes: number | null;
  /** Of the text that a fold shows, in UTF-8; null where nothing is folded. */
  readonly foldBytes: number | null;
  /** Of the texts that it announced. */
  readonly announcedKeys: readonly string[];
  readonly changes: readonly KeyChange[];
}

/** What an entry makes of a key of the snapshot. */
export interface KeyChange {
  readonly key: string;
  readonly effect: "stated" | "removed";
}

export interface CallOverview extends TurnFigures {
  /** What the former call of the same model could leave in the cache: read + written; null: not known. */
  readonly readableTokens: number | null;
}

export interface CallTotals extends TurnUsage {
  readonly calls: number;
  /** Those that the provider has reported on. */
  readonly reported: number;
}

/** What was paid for, and about what OpenCode alone would have paid more; in billionths of a US dollar. */
export interface BillOverview {
  /** Calls that the host has a price for. */
  readonly priced: number;
  readonly paidNanos: number;
  /** Negative where OpenCode alone would have paid less. */
  readonly savedNanos: number;
  readonly spared: SparedCalls;
}

/** Calls whose boundary announced a change that OpenCode alone would have made in its system prompt. */
export interface SparedCalls {
  readonly calls: number;
  /** What they read from the cache all the same. */
  readonly tokens: number;
}

export interface BriefOverview {
  readonly madeAtMs: number;
  /** In UTF-8. */
  readonly bytes: number;
  /** Null outside of a workflow. */
  readonly stage: string | null;
}

/** The states of an input that are not over. */
export const openInputStates = ["waiting", "handed", "saved", "promoted", "refused"] as const;

/** How many inputs are in each. */
export type InboxCounts = Readonly<Record<(typeof openInputStates)[number], number>>;

export interface OverviewStore {
  /** All of one state of the database; empty for a session that is not known. */
  of(sessionId: SessionId, callCount: number): SessionOverview;
}
