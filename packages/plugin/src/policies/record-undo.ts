// Records an undo, so that the ledger matches what stands.
import type { SourceKey } from "../context/key.ts";
import { entryOf, type Snapshot, type SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { HostMessage } from "../projection/message.ts";
import type { Draft } from "./draft.ts";

export interface Undo {
  /** What the entries that stand amount to. */
  readonly standing: Snapshot;
  /** What all entries of the epoch amount to, in their order. */
  readonly recorded: Snapshot;
  /** The text by which each key that stands was told. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Puts an undo on record: from here on the ledger as a whole amounts to what stands. When later a
 * compaction takes all anchors away, an undone entry can't be told from the others by its place.
 */
export function recordUndo(messages: readonly HostMessage[], undo: Undo): readonly Draft[] {
  const { standing, recorded, texts } = undo;
  const last = messages.at(-1);
  const keys = (Object.keys({ ...recorded, ...standing }) as SourceKey[]).filter(
    (key) => entryOf(standing, key)?.hash !== entryOf(recorded, key)?.hash,
  );
  if (!last || keys.length === 0) return [];
  const delta: SnapshotDelta = Object.fromEntries(
    keys.map((key) => [key, entryOf(standing, key) ?? null]),
  );
  const told = keys.flatMap((key): readonly KeyedText[] => {
    const text = entryOf(standing, key) && texts.get(key);
    return text === undefined ? [] : [{ key, text }];
  });
  return [{ anchor: { messageId: last.info.id, partId: null }, edit: null, told, delta }];
}
