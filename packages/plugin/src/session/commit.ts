// Commits a boundary's decisions: ranks drafts, and updates database and memory together, both or neither.
import { applyDelta } from "../context/snapshot.ts";
import { type BoundaryInputs, listEdits, type NamedDraft } from "../ledger/entry.ts";
import { replay } from "../ledger/replay.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { LedgerCommit } from "../storage/ledger-store.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import { type CallDeps, toDecisionEvent } from "./call-deps.ts";
import type { Call } from "./pass.ts";
import {
  addWaitingDrafts,
  selectActiveDrafts,
  selectUnrecorded,
  selectUnstored,
} from "./pending-drafts.ts";
import { pickHeldLedger, type SessionState } from "./session-state.ts";
import { type Decision, viewSession } from "./view.ts";

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
 * Stores a boundary's decision and updates the memory, or does neither. Returns `lost` if another process
 * came first; the ledger must then be read again, and the draft is dropped.
 * @throws StorageError
 */
export function commitDecision(
  database: RuntimeDatabase,
  memory: SessionState,
  decision: Omit<LedgerCommit, "sessionId"> & {
    /** The ids of the proposals that the decision settles. */
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

// Commits the decisions of a boundary within an epoch, and reports what stands after them.

/** The decision of a boundary within an epoch. */
type SteadyDecision = Decision & { readonly kind: "steady" };

/** The session's state after a boundary, and the messages that are sent. */
type AdmittedView = Pick<ReturnType<typeof viewSession>, "epoch" | "snapshot" | "projected">;

/** Stores the drafts and returns the view with them, or without them if they could not be stored. */
export function admitDrafts(
  deps: CallDeps,
  memory: SessionState,
  call: Call,
  {
    decision: { drafts: decided, settled },
    on,
  }: { readonly decision: SteadyDecision; readonly on: BoundaryInputs },
): AdmittedView {
  const { view, messages, held, head } = call;
  const { sessionId } = memory;
  const { epoch } = view;
  const atMs = call.facts.startedAtMs;
  const unchanged = { ...view, projected: call.projected };
  if (!epoch) return unchanged;
  if (memory.pendingDrafts)
    memory.pendingDrafts = selectActiveDrafts(memory.pendingDrafts, epoch.seq, messages);
  const drafts = addWaitingDrafts(memory.pendingDrafts, epoch.seq, decided);
  if (drafts.length === 0 && settled.length === 0) {
    memory.witnessedEpochSeq = epoch.seq;
    return unchanged;
  }
  const entries = rankDrafts(drafts, {
    sessionId,
    epochSeq: epoch.seq,
    afterSeq: view.ledgerSeq,
    decidedAtMs: atMs,
  });
  try {
    const change = { expectedSeq: view.ledgerSeq, epoch: null, entries, settled };
    if (commitDecision(deps.database(), memory, change) === "committed") {
      memory.pendingDrafts = null;
      memory.witnessedEpochSeq = epoch.seq;
      const news = toDecisionEvent({ epochSeq: epoch.seq, atMs, entries }, on.former);
      if (news) deps.decided(sessionId, { ...on, ...news });
      return addEntries(call, entries);
    }
    deps.memories.reload(memory);
    const lost = selectUnstored(memory.pendingDrafts, epoch.seq, decided);
    memory.pendingDrafts = selectUnrecorded(lost, memory.ledger.entries);
    return viewSession({
      ...pickHeldLedger(memory),
      location: deps.location,
      messages,
      held,
      head,
    });
  } catch (error) {
    deps.storageFailed(error);
    memory.pendingDrafts = selectUnstored(memory.pendingDrafts, epoch.seq, decided);
    memory.witnessedEpochSeq = null;
    return unchanged;
  }
}

function addEntries({ view, held }: Call, entries: readonly EntryRecord[]): AdmittedView {
  const snapshot = entries.reduce((before, { delta }) => applyDelta(before, delta), view.snapshot);
  const projected = replay(listEdits([...view.shown, ...entries]), held);
  return { epoch: view.epoch, snapshot, projected };
}
