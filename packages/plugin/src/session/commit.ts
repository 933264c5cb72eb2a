// Ranks drafts, and updates database and memory together: both or neither.
import type { NamedDraft } from "../ledger/draft.ts";
import type { LedgerCommit } from "../storage/ledger-store.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { SessionState } from "./session-state.ts";

/** Turns drafts into entries, ranked after `afterSeq`. */
export function rankDrafts(
  drafts: readonly NamedDraft[],
  place: {
    readonly sessionId: SessionId;
    readonly epochSeq: number;
    readonly afterSeq: number;
    readonly decidedAtMs: number;
  },
): readonly EntryRecord[] {
  return drafts.map((draft, index) => ({
    sessionId: place.sessionId,
    seq: place.afterSeq + 1 + index,
    epochSeq: place.epochSeq,
    origin: draft.origin,
    messageId: draft.anchor.messageId,
    partId: draft.anchor.partId,
    endMessageId: draft.edit?.verb === "fold" ? draft.edit.last : null,
    edit: draft.edit,
    announced: draft.announced,
    delta: draft.delta,
    decidedAtMs: place.decidedAtMs,
  }));
}

/**
 * Stores a boundary's decision and updates the memory: both or neither. Returns `lost` when another process came
 * first; its ledger is to be read then, and the draft is dropped.
 * @throws StorageError
 */
export function commitDecision(
  database: RuntimeDatabase,
  memory: SessionState,
  decision: Omit<LedgerCommit, "sessionId"> & {
    /** Proposals that are settled. */
    readonly settled: readonly number[];
  },
): "committed" | "lost" {
  const { sessionId, ledger } = memory;
  const { settled, ...change } = decision;
  const result = database.ledger.commit({ sessionId, ...change }, settled);
  if (result.kind === "lost") return "lost";
  memory.ledger = {
    ...ledger,
    epochs: decision.epoch ? [...ledger.epochs, decision.epoch] : ledger.epochs,
    entries: [...ledger.entries, ...decision.entries],
  };
  if (decision.epoch) memory.prepared = [];
  memory.proposals = memory.proposals.filter(({ id }) => !settled.includes(id));
  return "committed";
}
