// Detects that what a call had sent was rewritten after it, so its figures don't predict the next one.
import { findIndices } from "../ledger/places.ts";
import type { IsOutdated } from "../ledger/space.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";
import type { SessionMessage } from "./history.ts";

/** Detects a rewrite by the time when the host completed the answer and those when shown entries were decided. */
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
