// Holds what was last admitted per source, how an update changes it, and its codecs.
import * as z from "zod";
import { compareKeys, isSourceKey, type SourceKey } from "./key.ts";

// Holds the codec of a stored source key.

/** Accepts only keys that code may register, because storage holds no others. */
export const sourceKeySchema = z.custom<SourceKey>(
  (text) => typeof text === "string" && isSourceKey(text),
  { error: "not a namespaced Context Source key" },
);

/** The last admitted state of one source: enough to compare it, explain it and take it back. */
export interface SnapshotEntry {
  /** xxHash64 (16 hex digits) of `json`. */
  readonly hash: string;
  /** Canonical JSON of the encoded value. */
  readonly json: string;
  /** The text that takes the source back; null if no text can. */
  readonly removed: string | null;
}

/** Maps each key to what the model last received for it. Keys are own properties only. */
export type Snapshot = Readonly<Record<SourceKey, SnapshotEntry>>;

/** The changes that one update makes to a Snapshot; null removes the key. */
export type SnapshotDelta = Readonly<Record<SourceKey, SnapshotEntry | null>>;

export const emptySnapshot: Snapshot = Object.freeze({});

const entrySchema = z.object({
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  json: z.string(),
  removed: z.string().nullable(),
});

export const snapshotSchema = z.record(sourceKeySchema, entrySchema);
export const snapshotDeltaSchema = z.record(sourceKeySchema, entrySchema.nullable());

/** Returns the entry under `key`, never an inherited property. */
export function findEntry(snapshot: Snapshot, key: SourceKey): SnapshotEntry | undefined {
  return Object.hasOwn(snapshot, key) ? snapshot[key] : undefined;
}

/** Lists the snapshot's own keys, in code-unit order. */
export function listKeys(snapshot: Snapshot): readonly SourceKey[] {
  return (Object.keys(snapshot) as SourceKey[]).sort(compareKeys);
}

/** Applies a delta. Entries that it does not name stay the very same objects. */
export function applyDelta(snapshot: Snapshot, delta: SnapshotDelta): Snapshot {
  const next: Record<string, SnapshotEntry> = { ...snapshot };
  for (const [key, entry] of Object.entries(delta)) {
    if (entry === null) delete next[key];
    else next[key] = entry;
  }
  return next;
}
