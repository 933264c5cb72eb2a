// Holds drafts that could not be stored and wait for the next boundary.
import { applyDelta, type Snapshot } from "../context/snapshot.ts";
import type { NamedDraft } from "../ledger/entry.ts";
import { holdReminders } from "../ledger/hold-reminders.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { Policy } from "../ledger/policy.ts";
import { recordShown } from "../ledger/record-shown.ts";
import { recordUndo } from "../ledger/record-undo.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { PreviousEpoch } from "./pass.ts";
import { collectLastTexts, type SessionView } from "./view.ts";

export interface PendingDrafts {
  readonly epochSeq: number;
  /** Drafts for what the host itself has shown in the epoch: reminders, and instructions in results. */
  readonly drafts: readonly NamedDraft[];
  /**
   * The drafts that held at the last boundary: those whose places still existed (an undo removes the others),
   * preceded by the draft for the undo itself, which is made again unless a compaction comes first.
   */
  readonly standing: readonly NamedDraft[];
}

/**
 * Selects, from drafts that could not be stored, those for what the host has sent all the same; updates are
 * drafted again. A reminder waits for one boundary only, because a call without it has been sent by then.
 */
export function selectUnstored(
  before: PendingDrafts | null,
  epochSeq: number,
  drafts: readonly NamedDraft[],
): PendingDrafts {
  const waiting = before?.epochSeq === epochSeq ? before : null;
  const own = drafts.filter((draft) => isWitness(draft) || isReminder(draft));
  const drafted = new Set(own.map(({ anchor }) => toAnchorKey(anchor)));
  const isOlder = (draft: NamedDraft) =>
    isWitness(draft) && !drafted.has(toAnchorKey(draft.anchor));
  const older = waiting?.standing.filter(isOlder) ?? [];
  return {
    epochSeq,
    drafts: [...(waiting?.drafts.filter(isOlder) ?? []), ...own],
    standing: [...drafts.filter(isUndo), ...older, ...own],
  };
}

/** Drops the drafts that another process has put on record first. */
export function selectUnrecorded(
  waiting: PendingDrafts,
  entries: readonly EntryRecord[],
): PendingDrafts {
  const known = new Set(
    entries.map((entry) => `${toAnchorKey(entry)} ${JSON.stringify(entry.edit)}`),
  );
  const isUnrecorded = ({ anchor, edit }: NamedDraft) =>
    !known.has(`${toAnchorKey(anchor)} ${JSON.stringify(edit)}`);
  const { drafts, standing } = waiting;
  return {
    ...waiting,
    drafts: drafts.filter(isUnrecorded),
    standing: standing.filter(isUnrecorded),
  };
}

const isDraftedBy =
  ({ name }: Policy) =>
  ({ origin }: NamedDraft) =>
    origin === name;

const isWitness = isDraftedBy(recordShown);
const isUndo = isDraftedBy(recordUndo);
const isReminder = isDraftedBy(holdReminders);

/** Selects the drafts that wait in this epoch and whose places exist now. */
export function selectActiveDrafts(
  waiting: PendingDrafts,
  epochSeq: number,
  messages: readonly HostMessage[],
): PendingDrafts {
  if (waiting.epochSeq !== epochSeq) return waiting;
  const standing = waiting.drafts.filter(({ anchor }) => {
    const message = messages.find(({ info }) => info.id === anchor.messageId);
    return message?.parts.some(({ id }) => id === anchor.partId) ?? false;
  });
  return { ...waiting, standing };
}

/** Prepends this epoch's waiting drafts that are still valid, except those that have been drafted again. */
export function addWaitingDrafts(
  waiting: PendingDrafts | null,
  epochSeq: number,
  drafts: readonly NamedDraft[],
): readonly NamedDraft[] {
  if (waiting?.epochSeq !== epochSeq) return drafts;
  const drafted = new Set(drafts.map(({ anchor }) => toAnchorKey(anchor)));
  const due = waiting.standing.filter(({ anchor }) => !drafted.has(toAnchorKey(anchor)));
  return [...due, ...drafts];
}

/** Captures what the model had received by the end of an epoch. */
export function captureEpochEnd(
  view: SessionView,
  pendingDrafts: PendingDrafts | null,
): PreviousEpoch {
  const shown = listLeavingDrafts(view, pendingDrafts);
  return {
    epoch: view.epoch,
    snapshot: buildSnapshotBefore(view, pendingDrafts),
    texts: new Map([
      ...collectLastTexts(view),
      ...shown.flatMap(({ announced }) => announced.map(({ key, text }) => [key, text] as const)),
    ]),
  };
}

/** Returns what the model has received up to this boundary. */
export function buildSnapshotBefore(
  view: SessionView,
  pendingDrafts: PendingDrafts | null,
): Snapshot {
  const shown = listLeavingDrafts(view, pendingDrafts);
  return shown.reduce((before, { delta }) => applyDelta(before, delta), view.snapshot);
}

/**
 * Lists the unstored drafts at a compaction: the results that showed an instruction leave the history, so an
 * instruction that could not be stored would be forgotten.
 */
function listLeavingDrafts(
  { epoch, opening }: SessionView,
  pendingDrafts: PendingDrafts | null,
): readonly NamedDraft[] {
  if (opening !== "compacted" || pendingDrafts?.epochSeq !== epoch?.seq) return [];
  return pendingDrafts?.standing ?? [];
}

function toAnchorKey({ messageId, partId }: NamedDraft["anchor"]): string {
  return `${messageId} ${partId}`;
}
