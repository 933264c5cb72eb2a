// Commits the decisions of a boundary within an epoch, and reports what stands after them.
import { applyDelta } from "../context/snapshot.ts";
import type { DecidedOn } from "../policies/decided.ts";
import type { NamedDraft } from "../policies/draft.ts";
import { ledgerEdits } from "../projection/entry.ts";
import type { HostMessage } from "../projection/message.ts";
import { replay } from "../projection/replay.ts";
import type { EntryRecord } from "../storage/records.ts";
import type { CallDeps } from "./call-deps.ts";
import { commitDecision, rankDrafts } from "./commit.ts";
import type { SessionMessage } from "./history.ts";
import { type SessionMemory, viewOf } from "./memory.ts";
import { hearDecided } from "./on-record.ts";
import { notOnRecord, standingAt, stillToStore, withWaiting } from "./unstored.ts";
import type { SessionView } from "./view.ts";

/** A boundary within an epoch, and what was decided at it. */
export interface DecidedPass {
  readonly memory: SessionMemory;
  readonly messages: readonly SessionMessage[];
  /** The same, results that the host's prune has blanked as they were sent. */
  readonly held: readonly HostMessage[];
  readonly view: SessionView;
  readonly drafts: readonly NamedDraft[];
  readonly settled: readonly number[];
  readonly startedAtMs: number;
  readonly on: DecidedOn;
}

/** What stands after a boundary, and what is sent. */
export type Admitted = Pick<SessionView, "epoch" | "snapshot" | "projected">;

/** With the drafts where they could be stored, else without. */
export function admit(deps: CallDeps, pass: DecidedPass): Admitted {
  const { memory, view } = pass;
  const { epoch } = view;
  if (!epoch) return view;
  memory.unstored = standingAt(memory.unstored, epoch.seq, pass.messages);
  const drafts = withWaiting(memory.unstored, epoch.seq, pass.drafts);
  if (drafts.length === 0 && pass.settled.length === 0) {
    memory.witnessedEpochSeq = epoch.seq;
    return view;
  }
  const entries = rankDrafts(drafts, {
    sessionId: memory.sessionId,
    epochSeq: epoch.seq,
    afterSeq: view.ledgerSeq,
    decidedAtMs: pass.startedAtMs,
  });
  try {
    const { settled } = pass;
    const change = { expectedSeq: view.ledgerSeq, epoch: null, entries, settled };
    if (commitDecision(deps.database(), memory, change) === "committed") {
      memory.unstored = null;
      memory.witnessedEpochSeq = epoch.seq;
      const { sessionId } = memory;
      const stored = { sessionId, epochSeq: epoch.seq, atMs: pass.startedAtMs, entries };
      hearDecided(deps.decided, pass.on, stored);
      return withEntries(pass, entries);
    }
    deps.memories.reload(memory);
    const lost = stillToStore(memory.unstored, epoch.seq, pass.drafts);
    memory.unstored = notOnRecord(lost, memory.ledger.entries);
    return viewOf(memory, deps.location, pass);
  } catch (error) {
    deps.storageFailed(error);
    memory.unstored = stillToStore(memory.unstored, epoch.seq, pass.drafts);
    memory.witnessedEpochSeq = null;
    return view;
  }
}

function withEntries({ view, held }: DecidedPass, entries: readonly EntryRecord[]): Admitted {
  const snapshot = entries.reduce((before, { delta }) => applyDelta(before, delta), view.snapshot);
  const projected = replay(ledgerEdits([...view.shown, ...entries]), held);
  return { epoch: view.epoch, snapshot, projected };
}
