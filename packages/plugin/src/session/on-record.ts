// Reports what a boundary has put on record to whoever accounts for it.
import type { Decided, DecidedOn } from "../policies/decided.ts";
import type { Entry } from "../projection/entry.ts";
import type { EntryRecord, SessionId } from "../storage/records.ts";

/** Hears of what was stored, before it is sent. Never throws. */
export type HearDecided = (sessionId: SessionId, decided: Decided) => void;

interface Stored {
  readonly sessionId: SessionId;
  readonly epochSeq: number;
  readonly atMs: number;
  /** All that the commit has stored: in a new epoch, with what was carried over. */
  readonly entries: readonly EntryRecord[];
}

export function hearDecided(hear: HearDecided, on: DecidedOn, stored: Stored): void {
  const { sessionId, epochSeq, atMs, entries } = stored;
  const isSameEpoch = on.former.some((entry) => "epochSeq" in entry && entry.epochSeq === epochSeq);
  const fresh = withoutCarried(entries, on.former);
  if (fresh.length === 0) return;
  const standing = isSameEpoch ? [...on.former, ...entries] : entries;
  hear(sessionId, { ...on, epochSeq, atMs, entries: fresh, standing });
}

/** An edit that is carried over is the same in the new epoch. */
function withoutCarried(
  entries: readonly EntryRecord[],
  former: readonly Entry[],
): readonly EntryRecord[] {
  const carried = new Set(former.flatMap(({ edit }) => (edit ? [JSON.stringify(edit)] : [])));
  return entries.filter(({ edit }) => edit === null || !carried.has(JSON.stringify(edit)));
}
