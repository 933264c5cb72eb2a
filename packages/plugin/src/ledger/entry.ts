// Defines a ledger entry as the projection sees it, and which entries stand.
import type { SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import { containsAll } from "./after-result.ts";
import type { Edit, LedgerEdit } from "./edit.ts";
import type { HostMessage } from "./message.ts";
import { findIndices } from "./places.ts";
import { type Projection, project } from "./replay.ts";

/**
 * An edit in its place in the ledger, with what it announced. Without an edit it is a witness (the host itself
 * showed `announced` in that part) or, without a part, an undo on record.
 */
export interface Entry {
  readonly seq: number;
  /** The name of the policy that drafted it. */
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
 * Finds the entries that stand, which are those that replay shows: the edit takes effect, or what the host
 * showed in the part is sent. Nothing shows an undo on record.
 */
export function activeEntries<E extends Entry>(
  entries: readonly E[],
  messages: readonly HostMessage[],
): ActiveEntries<E> {
  const projection = project(ledgerEdits(entries), messages);
  const witnessed = partsShown(entries, projection.messages, messages);
  return {
    projection,
    entries: entries.filter(({ seq, edit, partId }) => {
      if (edit !== null) return !projection.dormant.has(seq);
      return partId !== null && witnessed.has(partId);
    }),
  };
}

/** Lists the edits among entries, in the form that replay takes. */
export function ledgerEdits(
  entries: readonly Pick<Entry, "seq" | "edit">[],
): readonly LedgerEdit[] {
  return entries.flatMap(({ seq, edit }) => (edit === null ? [] : [{ seq, edit }]));
}

/** Finds the parts named by witnesses that still show in the host's history all that was announced. */
function partsShown(
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
    return part && own && containsAll(part, own) && partId !== null ? [partId] : [];
  });
  return new Set(shown);
}
