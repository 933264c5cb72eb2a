// The admission rule: whether an edit may be decided now.
import { type Boundary, isCold } from "./boundary.ts";
import type { Anchor, Edit } from "./edit.ts";
import type { HostMessage } from "./message.ts";
import type { Watermark } from "./position.ts";

/** Where the session stands when an edit is proposed. */
interface AdmissionContext {
  /** The host's. */
  readonly messages: readonly HostMessage[];
  readonly watermark: Watermark | null;
  readonly boundary: Boundary;
}

/**
 * The admission rule: the edit leaves what was sent as it was sent, or the provider's cache of it is
 * cold. Of an edit whose message is missing nothing can be said, so it is refused where it is warm.
 */
export function admissible(
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
      // The prompt that it joins may be sent, and what stands after it.
      return edit.joins !== "prompt" && isUnsent(edit.first) && isUnsent(edit.last);
  }
}

/** Whether what is put there comes last. After an assistant's message it stands on its own. */
function isEnd({ messageId, partId }: Anchor, messages: readonly HostMessage[]): boolean {
  const last = messages.at(-1);
  if (last?.info.id !== messageId) return false;
  if (partId === null) return true;
  const isAssistant = last.info.role === "assistant";
  return (isAssistant ? last.parts : last.parts.slice(-1)).some((part) => part.id === partId);
}
