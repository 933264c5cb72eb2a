// Announces what changed, once, at the end of the history.
import type { Draft } from "./entry.ts";
import type { BoundaryView, Policy } from "./policy.ts";

/**
 * Drafts one Mid-Conversation System Message after everything of this boundary: the newest user input or the
 * settled tool results. The anchor is the message as a whole, because parts that other plugins push into it in
 * memory come and go.
 */
export const announceUpdate: Policy = { name: "announce-update", scope: "epoch", draft };

function draft({ messages, news }: BoundaryView): readonly Draft[] {
  const last = messages.at(-1);
  if (!last || news === null) return [];
  const anchor = { messageId: last.info.id, partId: null };
  const { text, announced, delta } = news;
  const edit = { verb: "insert", after: anchor, text } as const;
  return [{ anchor, edit, announced, delta, proposal: null }];
}
