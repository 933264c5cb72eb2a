// Handles the first call of an epoch: what it sends, and what is stored before.
import {
  type BoundaryInputs,
  historyDraft,
  ledgerEdits,
  type NamedDraft,
} from "../ledger/entry.ts";
import { listSessionScoped } from "../ledger/policy.ts";
import { replay } from "../ledger/replay.ts";
import type { PreparedEdit } from "../storage/ledger-table.ts";
import type { EpochCause } from "../storage/records.ts";
import type { CallDeps } from "./call-deps.ts";
import { type Call, collectPassFacts, type OwnRewrite, type Pass } from "./pass.ts";
import { captureEpochEnd, type PendingDrafts } from "./pending-drafts.ts";
import type { SessionState } from "./session-state.ts";
import type { Decision } from "./view.ts";

/** Begins an epoch. Its first call has the history as its later calls will have it. */
export function beginOpening(
  call: Call,
  { drafts, ...decision }: Decision & { readonly kind: "opening" },
  { on, unstored }: { readonly on: BoundaryInputs; readonly unstored: PendingDrafts | null },
): Pass & { readonly kind: "opening" } {
  const { messages, view, facts } = call;
  const { ledgerSeq: afterSeq, startMessageId } = view;
  // Takes the ranks that the entries will have, since they name the parts that replay makes.
  const edits = ledgerEdits(drafts.map(({ edit }, index) => ({ seq: afterSeq + 2 + index, edit })));
  const projected = replay(edits, messages);
  const rewrite = toRewrite(decision, facts.startedAtMs);
  return {
    kind: "opening",
    opening: {
      cause: decision.cause,
      observed: decision.observed,
      settled: decision.settled,
      drafts,
      afterSeq,
      startMessageId: findStartId(startMessageId, decision.cause, drafts),
      former: captureEpochEnd(view, unstored),
      // The array is copied, since the host's becomes what is sent before the epoch is stored.
      on: { ...on, messages: [...on.messages] },
    },
    facts: collectPassFacts(call, projected, { epoch: "another", rewrite }),
  };
}

/** Reports a fold, which may give up a warm cache; other epochs begin where there is none, or by the host. */
function toRewrite(
  { cause, boundary }: Pick<Decision & { readonly kind: "opening" }, "cause" | "boundary">,
  atMs: number,
): OwnRewrite | null {
  return cause === "folded" ? { boundary: boundary.kind, atMs } : null;
}

/** Ties an epoch that began with a fold to the fold's end: an undo into its range ends it. */
function findStartId(
  summaryId: string | null,
  cause: EpochCause,
  drafts: readonly NamedDraft[],
): string | null {
  if (cause !== "folded") return summaryId;
  const folds = drafts.flatMap(({ edit }) => (edit?.verb === "fold" ? [edit.last] : []));
  return folds.at(-1) ?? summaryId;
}

/**
 * Stores the session's own edits before they are sent; their epoch is stored later in the call. `failed` means
 * that they may not be sent, as they are not on record.
 */
export function prepareEdits(
  deps: Pick<CallDeps, "database" | "policies" | "storageFailed">,
  memory: SessionState,
  { drafts, settled, atMs }: Pick<Decision, "drafts" | "settled"> & { readonly atMs: number },
): "stored" | "failed" {
  const isOwn = listSessionScoped(deps.policies());
  const edits = drafts.flatMap(({ origin, edit }) =>
    edit !== null && isOwn.has(origin) ? [{ origin, edit }] : [],
  );
  if (edits.length === 0 || JSON.stringify(edits) === JSON.stringify(memory.prepared)) {
    return "stored";
  }
  try {
    deps.database().ledger.prepare({ sessionId: memory.sessionId, edits, settled, atMs });
    memory.prepared = edits;
    memory.proposals = memory.proposals.filter(({ id }) => !settled.includes(id));
    return "stored";
  } catch (error) {
    deps.storageFailed(error);
    return "failed";
  }
}

export function toPreparedDraft({ origin, edit }: PreparedEdit): NamedDraft {
  return { ...historyDraft(edit), origin };
}
