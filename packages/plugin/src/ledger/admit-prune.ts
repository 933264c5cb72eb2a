// Lets the host's prune take effect if the provider's cache is cold.
import { isCold } from "./boundary.ts";
import { collectReplaced, createHistoryDraft, type Draft } from "./entry.ts";
import { isTool } from "./message.ts";
import type { BoundaryView, Policy } from "./policy.ts";

/** The text that the host sends for a result that its prune has blanked (OpenCode 1.18.33). */
export const PRUNED_RESULT = "[Old tool result content cleared]";

/**
 * Shows a pruned result as it was sent until a cold boundary admits the blanking. Parts that have already
 * been replaced, or that have to stay, are left alone.
 */
export const admitPrune: Policy = { name: "admit-prune", scope: "epoch", draft };

function draft({
  messages,
  boundary,
  standing,
  claims,
  hostPrune,
}: BoundaryView): readonly Draft[] {
  if (hostPrune === "off" || !isCold(boundary)) return [];
  const replaced = collectReplaced(standing);
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap((part) => {
      if (!isTool(part) || part.state.status !== "completed") return [];
      if (part.state.time.compacted === undefined) return [];
      if (replaced.has(part.id) || claims.has(part.id)) return [];
      const at = { messageId: info.id, partId: part.id };
      return [createHistoryDraft({ verb: "replace", at, text: PRUNED_RESULT })];
    }),
  );
}
