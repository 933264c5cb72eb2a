// Reports what a boundary has put on record to the features that account for it.
import type { BoundaryDecision, BoundaryInputs } from "../ledger/decision.ts";
import type { Entry } from "../ledger/entry.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";

/** Receives what was stored, before it is sent. Never throws. */
export type OnDecision = (sessionId: SessionId, decided: BoundaryDecision) => void;

interface StoredDecision {
  readonly epochSeq: number;
  readonly atMs: number;
  /** All entries that the commit has stored; in a new epoch, including what was carried over. */
  readonly entries: readonly EntryRecord[];
}

/** Returns the part that is new; null if all of it was carried over from the epoch before. */
export function toDecisionEvent(
  { epochSeq, atMs, entries }: StoredDecision,
  /** The entries that replay showed before it. */
  former: readonly Entry[],
): Omit<BoundaryDecision, keyof BoundaryInputs> | null {
  const isSameEpoch = former.some((entry) => "epochSeq" in entry && entry.epochSeq === epochSeq);
  const fresh = withoutCarried(entries, former);
  if (fresh.length === 0) return null;
  const standing = isSameEpoch ? [...former, ...entries] : entries;
  return { epochSeq, atMs, entries: fresh, standing };
}

/** Drops entries that were carried over: their edits are the same in the new epoch. */
function withoutCarried(
  entries: readonly EntryRecord[],
  former: readonly Entry[],
): readonly EntryRecord[] {
  const carried = new Set(former.flatMap(({ edit }) => (edit ? [JSON.stringify(edit)] : [])));
  return entries.filter(({ edit }) => edit === null || !carried.has(JSON.stringify(edit)));
}
