// Lets the host's prune through where the provider's cache is cold.
import { type HostMessage, isTool } from "../projection/message.ts";
import { type Draft, historyDraft } from "./draft.ts";

/** What the host sends for a result that its prune has blanked (OpenCode 1.18.33). */
export const PRUNED_RESULT = "[Old tool result content cleared]";

/**
 * Lets the host's prune through at a boundary where the provider's cache is cold: until then a
 * pruned result is shown as it was sent. Parts that are replaced already, or have to stay, are kept.
 */
export function admitPrune(
  messages: readonly HostMessage[],
  keptPartIds: ReadonlySet<string>,
): readonly Draft[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part) => {
      if (!isTool(part) || part.state.status !== "completed") return [];
      if (part.state.time.compacted === undefined || keptPartIds.has(part.id)) return [];
      const anchor = { messageId: message.info.id, partId: part.id };
      return [historyDraft(anchor, { verb: "replace", at: anchor, text: PRUNED_RESULT })];
    }),
  );
}
