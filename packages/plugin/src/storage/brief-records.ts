// A stored brief, and its store's interface.
import type { SessionId } from "./records.ts";

/** A continuity brief as it was pushed into a compaction. Rows are never updated. */
export interface BriefRecord {
  readonly sessionId: SessionId;
  /** Rank among the session's briefs, from 1. */
  readonly seq: number;
  /** The host's row that asks for the compaction; null where it could not be found out. */
  readonly compactionId: string | null;
  /** As it was pushed. */
  readonly text: string;
  /** What the summary must not lose. */
  readonly essentials: {
    readonly stage: string | null;
    readonly step: string | null;
    readonly nextAction: string | null;
    readonly gate: string | null;
  };
  /** What the next brief takes over. */
  readonly carried: { readonly objective: string | null; readonly decisions: readonly string[] };
  readonly madeAtMs: number;
}

export interface BriefStore {
  /** Takes the next rank itself. A compaction that is tried again has several. */
  append(brief: Omit<BriefRecord, "seq">): void;
  newest(sessionId: SessionId): BriefRecord | null;
  /** The newest of that compaction: what its summary was made with. */
  ofCompaction(sessionId: SessionId, compactionId: string): BriefRecord | null;
}
