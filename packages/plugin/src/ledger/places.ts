// Finds where messages stand in a history.
import type { HostMessage } from "./message.ts";

/**
 * The number of ids up to which each is compared with a message's own. A set lookup takes longer, as the id's
 * text is new to each call.
 */
const FEW = 2;

/**
 * Finds the index of each message by id; missing ones are left out. It searches from the end and stops when all
 * are found, as most are young; the last few may be where a fold begins, at the head.
 */
export function findIndices(
  messageIds: ReadonlySet<string>,
  messages: readonly HostMessage[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let missing = [...messageIds];
  for (let index = messages.length - 1; index >= 0 && missing.length > 0; index--) {
    const id = messages[index]?.info.id;
    const isMissing =
      id !== undefined &&
      (missing.length > FEW ? messageIds.has(id) && !found.has(id) : missing.includes(id));
    if (!isMissing) continue;
    found.set(id, index);
    if (messageIds.size - found.size <= FEW) missing = missing.filter((one) => !found.has(one));
  }
  return found;
}
