// Where messages stand in a history.
import type { HostMessage } from "./message.ts";

/** So many ids are compared with a message's own: to look that up takes longer, as its text is new to each call. */
const FEW = 2;

/**
 * Where messages stand, by id; those that don't are left out. Looks from the end on and stops when all
 * are found, as what is looked for is mostly young; the last few may be where a fold begins, at the head.
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
