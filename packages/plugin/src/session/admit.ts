// Commits the decisions of a boundary within an epoch, and reports what stands after them.
import { applyDelta } from "../context/snapshot.ts";
import type { Draft } from "../policies/draft.ts";
import type { Location } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import { commitDecision, rankDrafts } from "./commit.ts";
import type { SessionMessage } from "./history.ts";
import { type SessionMemories, type SessionMemory, viewOf } from "./memory.ts";
import type { PassFacts } from "./pass.ts";
import { notOnRecord, standingAt, stillToStore, withWaiting } from "./unstored.ts";
import type { SessionView } from "./view.ts";

export interface AdmitDeps {
  readonly memories: SessionMemories;
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  /** Something could not be stored; the turn goes on with what is. */
  readonly storageFailed: (error: unknown) => void;
}

/** A boundary within an epoch, and what was decided at it. */
export interface DecidedPass {
  readonly memory: SessionMemory;
  readonly messages: readonly SessionMessage[];
  readonly view: SessionView;
  readonly drafts: readonly Draft[];
  readonly facts: Pick<PassFacts, "startedAtMs">;
}

/** What stands after this boundary: with the drafts where they could be stored, else without. */
export function admit(
  deps: AdmitDeps,
  pass: DecidedPass,
): Pick<SessionView, "epoch" | "standing" | "snapshot"> {
  const { memory, view } = pass;
  const { epoch } = view;
  if (!epoch) return view;
  memory.unstored = standingAt(memory.unstored, epoch.seq, pass.messages);
  const drafts = withWaiting(memory.unstored, epoch.seq, pass.drafts);
  if (drafts.length === 0) {
    memory.witnessedEpochSeq = epoch.seq;
    return view;
  }
  const entries = rankDrafts(drafts, {
    sessionId: memory.sessionId,
    epochSeq: epoch.seq,
    afterSeq: view.ledgerSeq,
    decidedAtMs: pass.facts.startedAtMs,
  });
  try {
    const change = { expectedSeq: view.ledgerSeq, epoch: null, entries };
    if (commitDecision(deps.database(), memory, change) === "committed") {
      memory.unstored = null;
      memory.witnessedEpochSeq = epoch.seq;
      const snapshot = entries.reduce(
        (before, { delta }) => applyDelta(before, delta),
        view.snapshot,
      );
      return { epoch, standing: [...view.standing, ...entries], snapshot };
    }
    deps.memories.reload(memory);
    const lost = stillToStore(memory.unstored, epoch.seq, pass.drafts);
    memory.unstored = notOnRecord(lost, memory.ledger.entries);
    return viewOf(memory, deps.location, pass.messages);
  } catch (error) {
    deps.storageFailed(error);
    memory.unstored = stillToStore(memory.unstored, epoch.seq, pass.drafts);
    memory.witnessedEpochSeq = null;
    return view;
  }
}
