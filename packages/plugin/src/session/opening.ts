// Handles the first call of an epoch: what is sent, and what is stored before it is sent.
import {
  type BoundaryInputs,
  createHistoryDraft,
  listEdits,
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

/** Begins an epoch, whose first call already has the history that its later calls will have. */
export function prepareOpening(
  call: Call,
  { drafts, ...decision }: Decision & { readonly kind: "opening" },
  {
    on,
    pendingDrafts,
  }: { readonly on: BoundaryInputs; readonly pendingDrafts: PendingDrafts | null },
): Pass & { readonly kind: "opening" } {
  const { messages, view, facts } = call;
  const { ledgerSeq: afterSeq, startMessageId } = view;
  // The edits have the ranks that the entries will have, because those name the parts that replay makes.
  const edits = listEdits(drafts.map(({ edit }, index) => ({ seq: afterSeq + 2 + index, edit })));
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
      former: captureEpochEnd(view, pendingDrafts),
      // The array is copied, because the host's own becomes what is sent before the epoch is stored.
      on: { ...on, messages: [...on.messages] },
    },
    facts: collectPassFacts(call, projected, { epoch: "another", rewrite }),
  };
}

/**
 * Reports a fold, which may give up a warm cache; other epochs begin when no cache is warm, or because of the
 * host.
 */
function toRewrite(
  { cause, boundary }: Pick<Decision & { readonly kind: "opening" }, "cause" | "boundary">,
  atMs: number,
): OwnRewrite | null {
  return cause === "folded" ? { boundary: boundary.kind, atMs } : null;
}

/** Ties an epoch that began with a fold to the fold's end: an undo into the fold's range ends the epoch. */
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
 * Stores the session's own edits before they are sent; their epoch is stored later in the call. Returns
 * `failed` if they are not on record, and so may not be sent.
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
  return { ...createHistoryDraft(edit), origin };
}
