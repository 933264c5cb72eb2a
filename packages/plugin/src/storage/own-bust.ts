// Busts that are our own doing: how the cause begins that is stored of them.

/** A rewrite of history gave the cache up, knowingly: its figures stand in its own record. */
export const OWN_BUST = "old history was dropped";

export function isOwnBust(cause: string): boolean {
  return cause.startsWith(OWN_BUST);
}
