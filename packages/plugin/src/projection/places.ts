// Where messages stand in a history.
import type { HostMessage } from "./message.ts";

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
