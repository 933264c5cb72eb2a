// Records an undo.
import type { SourceKey } from "../context/key.ts";
import { findEntry, type SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Draft } from "./entry.ts";
import type { BoundaryView, Policy } from "./policy.ts";

/**
 * Makes the ledger as a whole add up to what stands: once a later compaction has removed all anchors, an
 * undone entry can't be distinguished from the others by its place.
 */
export const recordUndo: Policy = { name: "record-undo", scope: "epoch", draft };

function draft({ messages, undo }: BoundaryView): readonly Draft[] {
  const last = messages.at(-1);
  if (!last || undo === null) return [];
  const { standing, recorded, texts } = undo;
  const keys = (Object.keys({ ...recorded, ...standing }) as SourceKey[]).filter(
    (key) => findEntry(standing, key)?.hash !== findEntry(recorded, key)?.hash,
  );
  if (keys.length === 0) return [];
  const delta: SnapshotDelta = Object.fromEntries(
    keys.map((key) => [key, findEntry(standing, key) ?? null]),
  );
  const announced = keys.flatMap((key): readonly KeyedText[] => {
    const text = findEntry(standing, key) && texts.get(key);
    return text === undefined ? [] : [{ key, text }];
  });
  return [
    {
      anchor: { messageId: last.info.id, partId: null },
      edit: null,
      announced,
      delta,
      proposal: null,
    },
  ];
}
