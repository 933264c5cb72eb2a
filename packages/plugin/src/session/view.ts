// What the ledger amounts to for the history that the host holds now.
import { applyDelta, emptySnapshot, type Snapshot } from "../context/snapshot.ts";
import { indicesOf } from "../projection/position.ts";
import type {
  EntryRecord,
  EpochCause,
  EpochRecord,
  Location,
  SessionLedger,
} from "../storage/records.ts";
import { type Head, headOf, type SessionMessage } from "./history.ts";

/** What the ledger amounts to for the history that the host holds now. Derived, never stored. */
export interface SessionView {
  /** The ledger's highest sequence number: what a commit of what is decided on this view expects. */
  readonly ledgerSeq: number;
  /** The epoch that the history is in, or was in before the one that is due. */
  readonly epoch: EpochRecord | null;
  /** Why a new epoch is due; null: the current one goes on. */
  readonly opening: EpochCause | null;
  /** The summary that a new epoch would be tied to: undoing that compaction ends it. */
  readonly startMessageId: string | null;
  /**
   * The current epoch's entries whose anchors stand, in order. Where a compaction has just taken
   * the anchors away: those that stood until then, as they are what the model had been told.
   */
  readonly standing: readonly EntryRecord[];
  /** How many of the epoch's entries stand no more. */
  readonly withdrawn: number;
  /** What all of the epoch's entries amount to: not the snapshot, as long as an undo is not on record. */
  readonly recorded: Snapshot;
  /** What the model has been told, as the standing entries have it. */
  readonly snapshot: Snapshot;
}

export interface ViewInput {
  readonly ledger: SessionLedger;
  readonly messages: readonly SessionMessage[];
  readonly location: Location;
  /** The epoch that the last pass was in; decides where a broken compaction took the anchor away. */
  readonly lastEpochSeq: number | null;
}

export function viewSession(input: ViewInput): SessionView {
  const head = headOf(input.messages);
  const epoch = currentEpoch(input, head);
  const opening = openingCause(input, head, epoch);
  const entries = epoch ? input.ledger.entries.filter((entry) => entry.epochSeq === epoch.seq) : [];
  const standing =
    opening === "compacted" ? entries : standingEntries(entries.filter(isPlaced), input.messages);
  const start = epoch?.snapshot ?? emptySnapshot;
  const snapshot = amountTo(start, standing);
  const withdrawn = entries.length - standing.length;
  return {
    ledgerSeq: highestSeq(input.ledger),
    epoch,
    opening,
    startMessageId: startMessage(input.ledger, head),
    standing,
    withdrawn,
    recorded: withdrawn === 0 ? snapshot : amountTo(start, entries),
    snapshot,
  };
}

/** 0: nothing is stored of the session. */
export function highestSeq(ledger: SessionLedger): number {
  const seqs = [ledger.epochs.at(-1)?.seq ?? 0, ledger.entries.at(-1)?.seq ?? 0];
  return Math.max(...seqs);
}

function amountTo(start: Snapshot, entries: readonly EntryRecord[]): Snapshot {
  return entries.reduce((snapshot, entry) => applyDelta(snapshot, entry.delta), start);
}

/** The newest epoch whose start still stands; rows without a start message stand always. */
function currentEpoch(input: ViewInput, head: Head): EpochRecord | null {
  const { epochs } = input.ledger;
  const hasLostHead = head.kind === "broken" || startMessage(input.ledger, head) !== null;
  if (hasLostHead && input.lastEpochSeq !== null) {
    // The epoch's start may lie in the head that the compaction took: a failed one leaves the epoch
    // as it is, after a finished one it is the former one.
    const last = epochs.find((epoch) => epoch.seq === input.lastEpochSeq);
    if (last) return last;
  }
  return epochs.findLast((epoch) => stands(epoch, input.messages)) ?? null;
}

/** Start messages are summaries, and those stand near the head. */
function stands({ startMessageId }: EpochRecord, messages: readonly SessionMessage[]): boolean {
  return startMessageId === null || messages.some(({ info }) => info.id === startMessageId);
}

function openingCause(input: ViewInput, head: Head, epoch: EpochRecord | null): EpochCause | null {
  if (!epoch) return "first";
  const { directory, worktree } = epoch.location;
  // First: what was told in another Location is not carried over, whatever else has happened.
  if (directory !== input.location.directory || worktree !== input.location.worktree) {
    return "moved";
  }
  return startMessage(input.ledger, head) === null ? null : "compacted";
}

/** The summary at the head, unless an epoch has already begun with it. */
function startMessage(ledger: SessionLedger, head: Head): string | null {
  if (head.kind !== "compacted") return null;
  const begun = ledger.epochs.some((epoch) => epoch.startMessageId === head.summaryId);
  return begun ? null : head.summaryId;
}

/** An undo on record has no place of its own: it counts where no entry has its place any more. */
function isPlaced(entry: EntryRecord): boolean {
  return entry.edit !== null || entry.partId !== null;
}

function standingEntries(
  entries: readonly EntryRecord[],
  messages: readonly SessionMessage[],
): readonly EntryRecord[] {
  if (entries.length === 0) return entries;
  const places = indicesOf(new Set(entries.map((entry) => entry.messageId)), messages);
  return entries.filter((entry) => {
    const message = messages[places.get(entry.messageId) ?? -1];
    if (!message) return false;
    return entry.partId === null || message.parts.some((part) => part.id === entry.partId);
  });
}

/** The last text by which each key was told: in the Baseline, or in a standing update since. */
export function lastTexts(view: SessionView): ReadonlyMap<string, string> {
  const told = [...(view.epoch?.parts ?? []), ...view.standing.flatMap((entry) => entry.told)];
  return new Map(told.map(({ key, text }) => [key, text]));
}
