// Defines ledger entries as the projection sees them, the drafts they come from, and what a boundary reports.
import { emptySnapshot, type SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Boundary, Watermark } from "./boundary.ts";
import { type Anchor, type Edit, findIndices, type LedgerEdit } from "./edit.ts";
import type { HostMessage } from "./message.ts";
import { type Projection, project } from "./replay.ts";
import { isSentUnchanged } from "./revise.ts";
import type { CallSpace } from "./space.ts";

/**
 * An edit in its place in the ledger, with what it announced. An entry without an edit is a witness (the host
 * itself showed `announced` in that part) or, if it has no part either, an undo on record.
 */
export interface Entry {
  readonly seq: number;
  /** The name of the policy that drafted the entry. */
  readonly origin: string;
  readonly edit: Edit | null;
  readonly messageId: string;
  readonly partId: string | null;
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
}

/** The entries that take effect on the history that the host holds now, and the result. */
interface ActiveEntries<E extends Entry> {
  /** Entries that take effect, in order. */
  readonly entries: readonly E[];
  readonly projection: Projection;
}

/**
 * Finds the active entries: those with an edit that takes effect, and those that record what the host showed in
 * a part which is still sent. An entry that records an undo is never active.
 */
export function findActiveEntries<E extends Entry>(
  entries: readonly E[],
  messages: readonly HostMessage[],
): ActiveEntries<E> {
  const projection = project(listEdits(entries), messages);
  const witnessed = listShownParts(entries, projection.messages, messages);
  return {
    projection,
    entries: entries.filter(({ seq, edit, partId }) => {
      if (edit !== null) return !projection.dormant.has(seq);
      return partId !== null && witnessed.has(partId);
    }),
  };
}

/** Lists the edits among entries, in the form that replay takes. */
export function listEdits(entries: readonly Pick<Entry, "seq" | "edit">[]): readonly LedgerEdit[] {
  return entries.flatMap(({ seq, edit }) => (edit === null ? [] : [{ seq, edit }]));
}

/** Finds the parts named by witnesses that still show in the host's history all that was announced. */
function listShownParts(
  entries: readonly Entry[],
  sent: readonly HostMessage[],
  messages: readonly HostMessage[],
): ReadonlySet<string> {
  const witnesses = entries.filter(({ edit, partId }) => edit === null && partId !== null);
  if (witnesses.length === 0) return new Set();
  const ids = new Set(witnesses.map(({ messageId }) => messageId));
  const sentAt = findIndices(ids, sent);
  const heldAt = findIndices(ids, messages);
  const shown = witnesses.flatMap(({ messageId, partId }) => {
    const part = sent[sentAt.get(messageId) ?? -1]?.parts.find(({ id }) => id === partId);
    const own = messages[heldAt.get(messageId) ?? -1]?.parts.find(({ id }) => id === partId);
    return part && own && isSentUnchanged(part, own) && partId !== null ? [partId] : [];
  });
  return new Set(shown);
}

// Finds the parts whose text has already been replaced.

export function collectReplaced(standing: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    standing.flatMap(({ edit }) => (edit?.verb === "replace" ? [edit.at.partId] : [])),
  );
}

// A policy's draft: an entry that is not yet ranked, dated or stored.

export interface Draft {
  readonly anchor: Anchor;
  /** The edit; null for a witness (the host itself showed what `announced` says) and for an undo on record. */
  readonly edit: Edit | null;
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
  /** The id of the proposal that the draft comes from; null if the policy made the draft unasked. */
  readonly proposal: number | null;
}

/** A draft with the name of the policy that made it. */
export interface NamedDraft extends Draft {
  readonly origin: string;
}

/** Makes a draft that changes what is sent and announces nothing. */
export function createHistoryDraft(edit: Edit): Draft {
  return { anchor: getEditAnchor(edit), edit, announced: [], delta: emptySnapshot, proposal: null };
}

/** Returns the edit's place; a fold's is its first message. */
function getEditAnchor(edit: Edit): Anchor {
  switch (edit.verb) {
    case "insert":
      return edit.after;
    case "replace":
    case "omit":
    case "restore":
      return edit.at;
    case "fold":
      return { messageId: edit.first, partId: null };
  }
}

// Describes what a boundary has put on record, for features that account for it.

/** The values by which a boundary decided. */
export interface BoundaryInputs {
  /** The host's messages, with results that its prune has blanked as they were sent. */
  readonly messages: readonly HostMessage[];
  readonly boundary: Boundary;
  readonly space: CallSpace;
  /** The newest message that an earlier call of the epoch had sent; null if none had. */
  readonly watermark: Watermark | null;
  /** The entries that replay showed before the boundary. */
  readonly former: readonly Entry[];
}

/** A boundary's decision whose entries are stored and about to be sent for the first time. */
export interface BoundaryDecision extends BoundaryInputs {
  readonly epochSeq: number;
  /** The moment of the call, in milliseconds since 1970. */
  readonly atMs: number;
  /** The entries that this boundary added; none of them was carried over from the epoch before. */
  readonly entries: readonly Entry[];
  /** The entries that replay shows from now on. */
  readonly standing: readonly Entry[];
}
