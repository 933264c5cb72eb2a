// Builds a policy that adds a line after the newest message, once per message, kept for the whole session.
import { wrapUpdate } from "../context/frames.ts";
import type { EditOf } from "./edit.ts";
import { createHistoryDraft } from "./entry.ts";
import type { HostMessage } from "./message.ts";
import type { BoundaryView, Policy } from "./policy.ts";

/**
 * Builds the policy.
 * @param composeLine returns the line after the newest message, or null for none, given the lines of this
 * policy that the model has already been sent. Pure, as a policy's draft is
 */
export function createLinePolicy(
  name: string,
  composeLine: (
    view: BoundaryView,
    newest: HostMessage,
    earlier: readonly EditOf<"insert">[],
  ) => string | null,
): Policy {
  return {
    name,
    scope: "session",
    draft(view) {
      const newest = view.messages.at(-1);
      if (!newest) return [];
      const after = { messageId: newest.info.id, partId: null };
      const earlier = view.standing.flatMap(({ origin, edit }) =>
        origin === name && edit?.verb === "insert" ? [edit] : [],
      );
      if (earlier.some((line) => line.after.messageId === after.messageId)) return [];
      const line = composeLine(view, newest, earlier);
      return line === null
        ? []
        : [createHistoryDraft({ verb: "insert", after, text: wrapUpdate(line) })];
    },
  };
}
