// Whether what a call had sent was rewritten after it: its figures say nothing of the next one.
import { findIndices } from "../ledger/places.ts";
import type { IsOutdated } from "../ledger/space.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { SessionMessage } from "./history.ts";

/** By when the host has an answer as complete, and when the entries that show were decided. */
export function rewrittenSince(
  shown: readonly EntryRecord[],
  messages: readonly SessionMessage[],
): IsOutdated {
  return (answer) => {
    const index = messages.findLastIndex(({ info }) => info.id === answer.info.id);
    const info = messages[index]?.info;
    const completedMs = info?.role === "assistant" ? info.time.completed : undefined;
    if (completedMs === undefined) return false;
    const ends = shown.flatMap(({ edit, decidedAtMs }) => {
      if (edit === null || edit.verb === "insert" || decidedAtMs <= completedMs) return [];
      return [edit.verb === "fold" ? edit.last : edit.at.messageId];
    });
    const places = findIndices(new Set(ends), messages);
    return ends.some((id) => (places.get(id) ?? index) < index);
  };
}
