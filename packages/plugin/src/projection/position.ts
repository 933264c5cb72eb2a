// The watermark: the newest message that stands and was sent.
import type { HostMessage } from "./message.ts";

/** The newest position of the history that a provider has been sent. */
export interface Watermark {
  readonly index: number;
  readonly messageId: string;
}

/** Null if nothing that stands was sent. Ids are not in order: the array is. */
export function watermark(
  messages: readonly HostMessage[],
  sentMessageIds: ReadonlySet<string>,
): Watermark | null {
  const index = messages.findLastIndex(({ info }) => sentMessageIds.has(info.id));
  const message = messages[index];
  return message === undefined ? null : { index, messageId: message.info.id };
}

/**
 * Where messages stand, by id; those that don't are left out. Looks from the end on and stops when all
 * are found, as what is looked for is mostly young.
 */
export function indicesOf(
  messageIds: ReadonlySet<string>,
  messages: readonly HostMessage[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let index = messages.length - 1; index >= 0 && found.size < messageIds.size; index--) {
    const id = messages[index]?.info.id;
    if (id !== undefined && messageIds.has(id) && !found.has(id)) found.set(id, index);
  }
  return found;
}
