// Finds the watermark: the newest message that stands and was sent.
import type { HostMessage } from "./message.ts";

/** The newest position of the history that a provider has been sent. */
export interface Watermark {
  readonly index: number;
  readonly messageId: string;
}

/** Finds the watermark; null if nothing that stands was sent. Ids are not in order, but the array is. */
export function watermark(
  messages: readonly HostMessage[],
  sentMessageIds: ReadonlySet<string>,
): Watermark | null {
  const index = messages.findLastIndex(({ info }) => sentMessageIds.has(info.id));
  const message = messages[index];
  return message === undefined ? null : { index, messageId: message.info.id };
}
