import type { EntryOverview } from "../storage/overview-records.ts";
import { type HistoryPresence, type Standing, standingOf } from "./presence.ts";
import { type TextSize, textSize } from "./text-size.ts";

/** A Mid-Conversation System Message; its size is that of the text as sent. */
export interface UpdateStatus extends TextSize {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly state: Standing;
}

/** Entries that put a text of ours before the model; witnesses and pure history edits are none. */
export function readUpdates(
  entries: readonly EntryOverview[],
  history: HistoryPresence | null,
): readonly UpdateStatus[] {
  return entries.flatMap((entry) => {
    if (entry.insertBytes === null || entry.toldKeys.length === 0) return [];
    return [
      {
        ...textSize(entry.insertBytes),
        atMs: entry.decidedAtMs,
        keys: entry.toldKeys,
        state: standingOf(entry, history),
      },
    ];
  });
}
