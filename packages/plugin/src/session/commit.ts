// Ranks drafts, stores them and takes them into memory: both or neither.
import type { Draft } from "../policies/draft.ts";
import type { EntryRecord, SessionId } from "../storage/records.ts";
import type { LedgerCommit, RuntimeDatabase } from "../storage/store.ts";
import type { SessionMemory } from "./memory.ts";

/** The entries that drafts become, ranked behind `afterSeq`. */
export function rankDrafts(
  drafts: readonly Draft[],
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
    messageId: draft.anchor.messageId,
    partId: draft.anchor.partId,
    edit: draft.edit,
    told: draft.told,
    delta: draft.delta,
    decidedAtMs: place.decidedAtMs,
  }));
}

/**
 * Stores what a boundary decided and takes it into memory: both or neither. `lost` when another
 * process came first; its ledger is to be read then, and the draft is dropped.
 * @throws StorageError
 */
export function commitDecision(
  database: RuntimeDatabase,
  memory: SessionMemory,
  decision: Omit<LedgerCommit, "sessionId">,
): "committed" | "lost" {
  const { sessionId, ledger } = memory;
  const result = database.ledger.commit({
    sessionId,
    ...decision,
  });
  if (result.kind === "lost") return "lost";
  memory.ledger = {
    epochs: decision.epoch ? [...ledger.epochs, decision.epoch] : ledger.epochs,
    entries:
      decision.entries.length > 0 ? [...ledger.entries, ...decision.entries] : ledger.entries,
  };
  return "committed";
}
