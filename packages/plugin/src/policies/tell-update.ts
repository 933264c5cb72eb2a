// One message with all changes of a boundary, after the newest input.
import type { SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { HostMessage } from "../projection/message.ts";
import type { Draft } from "./draft.ts";

/**
 * One Mid-Conversation System Message behind everything of this boundary: the newest user input or
 * the settled tool results. The anchor is the message as a whole, because parts that other plugins
 * push into it in memory come and go.
 */
export function tellUpdate(
  messages: readonly HostMessage[],
  update: {
    readonly text: string;
    readonly told: readonly KeyedText[];
    readonly delta: SnapshotDelta;
  },
): Draft | null {
  const last = messages.at(-1);
  if (!last) return null;
  const anchor = { messageId: last.info.id, partId: null };
  return {
    anchor,
    edit: { verb: "insert", after: anchor, text: update.text },
    told: update.told,
    delta: update.delta,
  };
}
