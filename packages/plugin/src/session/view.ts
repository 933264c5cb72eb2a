// Computes the state of the ledger for the host's present history, and what one boundary decides on.
import { applyDelta, emptySnapshot, type Snapshot } from "../context/snapshot.ts";
import type { ObservedContext } from "../context/system-context.ts";
import type { Boundary } from "../ledger/boundary.ts";
import { type Draft, type Entry, findActiveEntries, type NamedDraft } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { BoundaryView, Policy } from "../ledger/policy.ts";
import type { CallSpace } from "../ledger/space.ts";
import type {
  EntryRecord,
  EpochRecord,
  SessionLedger,
  SoundLedger,
} from "../storage/ledger-table.ts";
import type { EpochCause, Location } from "../storage/records.ts";
import type { HistoryHead, SessionMessage } from "./history.ts";

/** The session's derived state, which is never stored. */
export interface SessionView {
  /** The ledger's highest sequence number, which a commit of decisions on this view expects. */
  readonly ledgerSeq: number;
  /** The epoch that the history is in, or was in before the new epoch that is due; null if there is none. */
  readonly epoch: EpochRecord | null;
  /** The reason why a new epoch is due; null if the current epoch goes on. */
  readonly opening: EpochCause | null;
  /** The summary that a new epoch would be tied to: undoing that compaction ends the epoch. */
  readonly startMessageId: string | null;
  /** The current epoch's entries that replay shows, in order. */
  readonly shown: readonly EntryRecord[];
  /**
   * The entries that the model has received, which are the shown ones. If a compaction has just removed the
   * anchors, they are all of the epoch's entries, because those that stood until then are what the model had
   * received.
   */
  readonly standing: readonly EntryRecord[];
  /** The number of the epoch's entries that no longer stand. */
  readonly withdrawn: number;
  /**
   * The snapshot that all of the epoch's entries add up to; it differs from `snapshot` until an undo is on
   * record.
   */
  readonly recorded: Snapshot;
  /** The snapshot that the model has received, according to the standing entries. */
  readonly snapshot: Snapshot;
}

interface ProjectedView extends SessionView {
  /** The messages that are sent if nothing is decided. */
  readonly projected: readonly HostMessage[];
}

export interface ViewInput {
  readonly ledger: SoundLedger;
  readonly messages: readonly SessionMessage[];
  /** The same messages, in which results that the host's prune has blanked are as they were sent. */
  readonly held: readonly HostMessage[];
  readonly head: HistoryHead;
  readonly location: Location;
  /**
   * The epoch of the last pass, which decides if a broken compaction has removed the anchor; null if there is
   * none.
   */
  readonly lastEpochSeq: number | null;
}

export function viewSession(input: ViewInput): ProjectedView {
  const { head } = input;
  const epoch = findCurrentEpoch(input, head);
  const opening = findOpeningCause(input, head, epoch);
  const entries = epoch ? input.ledger.entries.filter((entry) => entry.epochSeq === epoch.seq) : [];
  const { entries: shown, projection } = findActiveEntries(entries, input.held);
  const standing = opening === "compacted" ? entries : shown;
  const start = epoch?.snapshot ?? emptySnapshot;
  const snapshot = applyEntries(start, standing);
  const withdrawn = entries.length - standing.length;
  return {
    ledgerSeq: findHighestSeq(input.ledger),
    epoch,
    opening,
    startMessageId: findStartMessageId(input.ledger, head),
    shown,
    projected: projection.messages,
    standing,
    withdrawn,
    recorded: withdrawn === 0 ? snapshot : applyEntries(start, entries),
    snapshot,
  };
}

/** Returns the highest sequence number; 0 if nothing of the session is stored. */
export function findHighestSeq({ epochs, entries, damagedSeqs }: SoundLedger): number {
  return Math.max(epochs.at(-1)?.seq ?? 0, entries.at(-1)?.seq ?? 0, ...damagedSeqs);
}

function applyEntries(start: Snapshot, entries: readonly EntryRecord[]): Snapshot {
  return entries.reduce((snapshot, entry) => applyDelta(snapshot, entry.delta), start);
}

/** Selects what takes effect on a history as the host lists it, compacted messages included. */
export function selectShown(
  { epochs, entries }: SessionLedger,
  messages: readonly HostMessage[],
): {
  readonly epochSeq: number | null;
  readonly entrySeqs: ReadonlySet<number>;
  readonly messageIds: ReadonlySet<string>;
} {
  const epoch = epochs.findLast((epoch) => isEpochPresent(epoch, messages)) ?? null;
  const own = entries.filter(({ epochSeq }) => epochSeq === epoch?.seq);
  const shown = findActiveEntries(own, messages).entries;
  return {
    epochSeq: epoch?.seq ?? null,
    entrySeqs: new Set(shown.map(({ seq }) => seq)),
    messageIds: new Set(messages.map(({ info }) => info.id)),
  };
}

/** Finds the newest epoch whose start still stands; rows without a start message always stand. */
function findCurrentEpoch(input: ViewInput, head: HistoryHead): EpochRecord | null {
  const { epochs } = input.ledger;
  const hasLostHead = head.kind === "broken" || findStartMessageId(input.ledger, head) !== null;
  if (hasLostHead) {
    // The epoch's start may lie in the head that the compaction removed. After a failed compaction the
    // current epoch goes on; after a finished one it becomes the former epoch.
    const last = epochs.find((epoch) => epoch.seq === input.lastEpochSeq);
    if (last) return last;
  }
  return epochs.findLast((epoch) => isEpochPresent(epoch, input.messages)) ?? null;
}

function isEpochPresent(
  { startMessageId }: EpochRecord,
  messages: readonly HostMessage[],
): boolean {
  if (startMessageId === null) return true;
  // The search begins at the end: a fold ends, and its epoch starts, near there.
  return messages.findLast(({ info }) => info.id === startMessageId) !== undefined;
}

function findOpeningCause(
  input: ViewInput,
  head: HistoryHead,
  epoch: EpochRecord | null,
): EpochCause | null {
  if (!epoch) return "first";
  const { directory, worktree } = epoch.location;
  // This is checked first: announcements of another Location are never carried over.
  if (directory !== input.location.directory || worktree !== input.location.worktree) {
    return "moved";
  }
  if (findStartMessageId(input.ledger, head) !== null) return "compacted";
  return isDamagedSince(input.ledger, epoch) ? "replaced" : null;
}

/** Says whether an entry since the epoch began, or a later epoch, is damaged and can't be sent again. */
function isDamagedSince({ damagedSeqs }: SoundLedger, { seq }: EpochRecord): boolean {
  return damagedSeqs.some((damaged) => damaged > seq);
}

/** Returns the summary at the head, unless an epoch has already begun with it. */
function findStartMessageId(ledger: SessionLedger, head: HistoryHead): string | null {
  if (head.kind !== "compacted") return null;
  const begun = ledger.epochs.some((epoch) => epoch.startMessageId === head.summaryId);
  return begun ? null : head.summaryId;
}

/** Maps each key to the last text that announced it: in the Baseline, or in a standing update since. */
export function collectLastTexts(view: SessionView): ReadonlyMap<string, string> {
  const announced = [
    ...(view.epoch?.parts ?? []),
    ...view.standing.flatMap((entry) => entry.announced),
  ];
  return new Map(announced.map(({ key, text }) => [key, text]));
}

// Defines what one boundary decides on, and its decision.

/** The part of a call's view that exists before its boundary decides anything. */
export type CallView = Pick<
  BoundaryView,
  | "messages"
  | "projected"
  | "watermark"
  | "boundedTexts"
  | "hostPrune"
  | "space"
  | "withheld"
  | "proposals"
>;

export interface BoundaryInput extends CallView {
  readonly view: SessionView;
  readonly observed: ObservedContext;
  readonly policies: readonly Policy[];
  /** Drafts for what the host itself showed the model since the last call. */
  readonly witnessed: readonly Draft[];
  /** Returns drafts for all that these messages show, since in a new epoch none of it is on record. */
  readonly shownIn: (messages: readonly HostMessage[]) => readonly Draft[];
  /** The length of the session's pause if it outlasted the provider's cache; otherwise null. */
  readonly coldPauseMs: number | null;
  /** `cold`: another model made the newest call, and the cache of this call's model is dead. */
  readonly modelCache: "cold" | "usual";
  /** A cause for a new epoch that the history does not show: a model switch, when so configured. */
  readonly asked: EpochCause | null;
  /** The session's own edits in an epoch that was sent but could not be stored; usually none. */
  readonly prepared: readonly NamedDraft[];
}

interface DraftDecision {
  /** Drafts to be stored and sent, in the order of the ledger. */
  readonly drafts: readonly NamedDraft[];
  /** Drafts refused at this boundary: policies draft them again, and proposals wait. */
  readonly deferred: readonly NamedDraft[];
  /** Proposals that are settled: taken by these drafts, or stale. */
  readonly settled: readonly number[];
  /** The observation as it was passed in, with sources whose rendering failed marked unavailable. */
  readonly observed: ObservedContext;
}

export type Decision =
  | (DraftDecision & { readonly kind: "steady"; readonly boundary: Boundary })
  /** `boundary` is the boundary at which a fold was decided, or otherwise the epoch's cause. */
  | (DraftDecision & {
      readonly kind: "opening";
      readonly cause: EpochCause;
      readonly boundary: Boundary;
    });

// Checks whether folds would hide what was announced to the model.

/**
 * Says whether folds hide an announcement. `standing` is in the order of the ledger; drafts come after it.
 */
export function hidesAnnouncement(
  standing: readonly Entry[],
  drafts: readonly Pick<NamedDraft, "origin" | "edit">[],
  messages: readonly HostMessage[],
): boolean {
  const announcing = standing.filter(
    ({ announced, delta }) => announced.length > 0 || Object.keys(delta).length > 0,
  );
  if (announcing.length === 0) return false;
  const lastSeq = standing.at(-1)?.seq ?? 0;
  const fresh = drafts.map(({ origin, edit }, index): Entry => {
    const seq = lastSeq + index + 1;
    return { seq, origin, edit, messageId: "", partId: null, announced: [], delta: emptySnapshot };
  });
  const { entries } = findActiveEntries([...standing, ...fresh], messages);
  const shown = new Set(entries.map(({ seq }) => seq));
  return announcing.some(({ seq }) => !shown.has(seq));
}

/** Collects the parts that must stay: results that announced an instruction by showing it, and kept parts. */
export function collectClaims(
  standing: readonly Entry[],
  shown: readonly Draft[],
): ReadonlySet<string> {
  const witnesses = [...standing, ...shown.map(({ edit, anchor }) => ({ edit, ...anchor }))];
  const isClaim = ({ edit }: Pick<Entry, "edit">) =>
    edit === null || (edit.verb === "restore" && edit.hold === "kept");
  return new Set(
    witnesses.flatMap((entry) => (isClaim(entry) && entry.partId !== null ? [entry.partId] : [])),
  );
}

/** Leaves some of the model's limit free, because the token count is an estimate. */
const FULL_CONTEXT_SHARE = 0.9;

/** Says whether the next call comes close to the model's limit. */
export function isFull({ estimatedTokens, usableTokens }: CallSpace): boolean {
  return usableTokens !== null && estimatedTokens > FULL_CONTEXT_SHARE * usableTokens;
}
