import type { EntryRecord } from "../storage/records.ts";
import { type HistoryPresence, type Standing, standingOf } from "./presence.ts";
import { byteLength, type TextSize, textSize } from "./text-size.ts";

/** A Mid-Conversation System Message; its size is that of the text as sent. */
export interface UpdateStatus extends TextSize {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly state: Standing;
}

/** Entries that put a text of ours before the model; witnesses and pure history edits are none. */
export function readUpdates(
  entries: readonly EntryRecord[],
  history: HistoryPresence | null,
): readonly UpdateStatus[] {
  return entries.flatMap((entry) => {
    if (entry.edit?.verb !== "insert" || entry.told.length === 0) return [];
    return [
      {
        ...textSize(byteLength(entry.edit.text)),
        atMs: entry.decidedAtMs,
        keys: entry.told.map(({ key }) => key),
        state: standingOf(entry, history),
      },
    ];
  });
}
