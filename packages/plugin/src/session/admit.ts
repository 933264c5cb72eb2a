// Commits the decisions of a boundary within an epoch, and reports what stands after them.
import { applyDelta } from "../context/snapshot.ts";
import type { DecidedOn } from "../policies/decided.ts";
import { ledgerEdits } from "../projection/entry.ts";
import { replay } from "../projection/replay.ts";
import type { EntryRecord } from "../storage/records.ts";
import type { Decision } from "./boundary.ts";
import type { CallDeps } from "./call-deps.ts";
import type { CallValues } from "./call-values.ts";
import { commitDecision, rankDrafts } from "./commit.ts";
import { viewOf } from "./memory.ts";
import { hearDecided } from "./on-record.ts";
import { notOnRecord, standingAt, stillToStore, withWaiting } from "./unstored.ts";
import type { SessionView } from "./view.ts";

/** A boundary within an epoch, and what was decided at it. */
type Steady = Decision & { readonly kind: "steady" };

/** What stands after a boundary, and what is sent. */
type Admitted = Pick<SessionView, "epoch" | "snapshot" | "projected">;

/** With the drafts where they could be stored, else without. */
export function admit(
  deps: CallDeps,
  call: CallValues,
  { drafts: decided, settled }: Steady,
  on: DecidedOn,
): Admitted {
  const { memory, view } = call;
  const { sessionId } = memory;
  const { epoch } = view;
  const atMs = call.facts.startedAtMs;
  if (!epoch) return view;
  memory.unstored = standingAt(memory.unstored, epoch.seq, call.messages);
  const drafts = withWaiting(memory.unstored, epoch.seq, decided);
  if (drafts.length === 0 && settled.length === 0) {
    memory.witnessedEpochSeq = epoch.seq;
    return view;
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
      memory.unstored = null;
      memory.witnessedEpochSeq = epoch.seq;
      hearDecided(deps.decided, on, { sessionId, epochSeq: epoch.seq, atMs, entries });
      return withEntries(call, entries);
    }
    deps.memories.reload(memory);
    const lost = stillToStore(memory.unstored, epoch.seq, decided);
    memory.unstored = notOnRecord(lost, memory.ledger.entries);
    return viewOf(memory, deps.location, call);
  } catch (error) {
    deps.storageFailed(error);
    memory.unstored = stillToStore(memory.unstored, epoch.seq, decided);
    memory.witnessedEpochSeq = null;
    return view;
  }
}

function withEntries({ view, held }: CallValues, entries: readonly EntryRecord[]): Admitted {
  const snapshot = entries.reduce((before, { delta }) => applyDelta(before, delta), view.snapshot);
  const projected = replay(ledgerEdits([...view.shown, ...entries]), held);
  return { epoch: view.epoch, snapshot, projected };
}
