// Computes what a boundary's drops and folds cost and save; pure.
import {
  countBlocks,
  type MeasuredHistory,
  type MeasureMessage,
  measureHistory,
} from "../../history/measured-history.ts";
import { HISTORY_POLICY, toReason } from "../../history/policy.ts";
import { computeScale } from "../../history/scale.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { computeTail } from "../../history/tail.ts";
import type { Edit } from "../../ledger/edit.ts";
import { type BoundaryDecision, type Entry, listEdits } from "../../ledger/entry.ts";
import { replay } from "../../ledger/replay.ts";
import { PROPOSALS_POLICY } from "../../ledger/take-proposals.ts";
import type { RewriteRecord } from "./rewrite-store.ts";

/** Computes the figures; null if nothing that had been sent was dropped or folded. */
export function computeFigures(
  decided: BoundaryDecision,
  settings: HistorySettings,
): Omit<RewriteRecord, "sessionId"> | null {
  const { messages, space, epochSeq, atMs } = decided;
  const made = decided.entries.filter(isHistoryRewrite);
  const [first] = made;
  if (first === undefined) return null;
  const indexById = new Map(messages.map(({ info }, index) => [info.id, index]));
  const places = made.flatMap(({ edit }) => (edit ? listChangedIndices(edit, indexById) : []));
  if (places.length === 0) return null;
  const from = places.reduce((least, place) => Math.min(least, place));
  const to = places.reduce((most, place) => Math.max(most, place));
  const reason = toReason(decided.boundary) ?? "cold";
  const before = measureReplayedHistory(
    decided,
    decided.former.filter(changesHistory),
    settings.measure,
  );
  const after = measureReplayedHistory(
    decided,
    decided.standing.filter(changesHistory),
    settings.measure,
  );
  const projected = before.rows.map(({ message }) => message);
  const scale = computeScale(before);
  const { keepTokens, regret, spared } = computeTail({ messages, projected, space }, settings);
  return {
    seq: first.seq,
    epochSeq,
    atMs,
    reason,
    firstMessageId: messages[from]?.info.id ?? "",
    lastMessageId: messages[to]?.info.id ?? "",
    drops: made.filter(({ edit }) => edit?.verb === "replace" || edit?.verb === "omit").length,
    folds: made.filter(({ edit }) => edit?.verb === "fold").length,
    costTokens:
      reason === "cold" ? 0 : Math.round(scale * estimateRewriteCost(decided, after, from)),
    savedTokens: Math.round(scale * (before.totalTokens - after.totalTokens)),
    readRate: space.rates.read,
    writeRate: space.rates.write,
    keepTokens,
    regretTokens: Math.round(regret),
    sparedTokens: Math.round(spared),
    ...countNewlyDropped(decided.standing, after, { indexById, scale }),
  };
}

const HISTORY_ORIGINS: ReadonlySet<string> = new Set([HISTORY_POLICY, PROPOSALS_POLICY]);

/** Returns true if the entry drops or folds part of the conversation. */
export function isHistoryRewrite(entry: Pick<Entry, "origin" | "edit">): boolean {
  return HISTORY_ORIGINS.has(entry.origin) && changesHistory(entry);
}

/**
 * Says whether an edit changes history. Announced changes don't: whatever a fold hides of them is in the
 * Baseline.
 */
function changesHistory({ edit }: Pick<Entry, "edit">): boolean {
  return edit !== null && edit.verb !== "insert";
}

/** Returns the indices of the messages that the edit changes. */
function listChangedIndices(edit: Edit, indexById: ReadonlyMap<string, number>): readonly number[] {
  switch (edit.verb) {
    case "insert":
      return [];
    case "replace":
    case "omit":
    case "restore":
      return [edit.at.messageId].flatMap((id) => indexById.get(id) ?? []);
    case "fold":
      return [edit.first, edit.last].flatMap((id) => indexById.get(id) ?? []);
  }
}

function measureReplayedHistory(
  { messages }: BoundaryDecision,
  standing: readonly Entry[],
  measure: MeasureMessage,
): MeasuredHistory {
  const projected = replay(listEdits(standing), messages);
  return measureHistory({ messages, standing, projected }, measure);
}

/**
 * Estimates the cost of writing everything after the first change to the cache again. Messages that no call
 * has sent are left out, because they cost the same anyway.
 */
function estimateRewriteCost(
  { watermark, space }: BoundaryDecision,
  { rows }: MeasuredHistory,
  from: number,
): number {
  const { read, write, lookBackBlocks } = space.rates;
  const sent = rows.filter(({ first }) => watermark !== null && first <= watermark.index);
  const blocks = rows
    .filter(({ last }) => last >= from)
    .reduce((sum, { message }) => sum + countBlocks(message), 0);
  // The change is too far back for the provider to find the common prefix, so all messages are written again.
  const isOutOfReach = lookBackBlocks !== null && blocks > lookBackBlocks;
  const again = isOutOfReach ? sent : sent.filter(({ last }) => last >= from);
  return (write - read) * again.reduce((sum, { tokens }) => sum + tokens, 0);
}

function countNewlyDropped(
  standing: readonly Entry[],
  { rows }: MeasuredHistory,
  { indexById, scale }: { readonly indexById: ReadonlyMap<string, number>; readonly scale: number },
): Pick<RewriteRecord, "foldedMessages" | "foldTokens" | "droppedParts"> {
  const folds = rows.filter(({ kind }) => kind === "fold");
  const isFolded = (id: string) => {
    const place = indexById.get(id) ?? -1;
    return folds.some(({ first, last }) => first <= place && place <= last);
  };
  const dropped = standing.filter(isHistoryRewrite).flatMap(({ edit }) => {
    if (edit?.verb !== "replace" && edit?.verb !== "omit") return [];
    return isFolded(edit.at.messageId) ? [] : [edit.at.partId];
  });
  return {
    foldedMessages: folds.reduce((sum, { first, last }) => sum + last - first + 1, 0),
    foldTokens: Math.round(scale * folds.reduce((sum, { tokens }) => sum + tokens, 0)),
    droppedParts: new Set(dropped).size,
  };
}
