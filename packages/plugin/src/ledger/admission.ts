// Decides whether an edit may be admitted at this boundary.
import { type Boundary, isCold, type Watermark } from "./boundary.ts";
import type { Anchor, Edit } from "./edit.ts";
import type { HostMessage } from "./message.ts";

/** The session's state when an edit is proposed. */
interface AdmissionContext {
  /** The host's messages, without our edits. */
  readonly messages: readonly HostMessage[];
  readonly watermark: Watermark | null;
  readonly boundary: Boundary;
}

/**
 * Admits an edit that leaves unchanged what was sent, or any edit once the provider's cache is cold. An edit
 * whose message is missing can't be judged, so it is refused while the cache is warm.
 */
export function isAdmissible(
  edit: Edit,
  { messages, watermark, boundary }: AdmissionContext,
): boolean {
  if (watermark === null || isCold(boundary)) return true;
  const unsent = messages.slice(watermark.index + 1);
  const isUnsent = (id: string) => unsent.some(({ info }) => info.id === id);
  switch (edit.verb) {
    case "insert":
      return isUnsent(edit.after.messageId) || isEnd(edit.after, messages);
    case "replace":
    case "omit":
    case "restore":
      return isUnsent(edit.at.messageId);
    case "fold":
      // The prompt that a joining fold extends may have been sent already, and so may what follows it.
      return edit.joins !== "prompt" && isUnsent(edit.first) && isUnsent(edit.last);
  }
}

/** Returns true if the insert comes last. After an assistant's message it becomes a separate message. */
function isEnd({ messageId, partId }: Anchor, messages: readonly HostMessage[]): boolean {
  const last = messages.at(-1);
  if (last?.info.id !== messageId) return false;
  if (partId === null) return true;
  const isAssistant = last.info.role === "assistant";
  return (isAssistant ? last.parts : last.parts.slice(-1)).some((part) => part.id === partId);
}
