// Calls whose cache we gave up ourselves: how the cause begins that is stored in place of a bust's.

/** A rewrite of history did it, knowingly: its figures stand in its own record. No list counts it as a bust. */
export const OWN_BUST = "old history was dropped";

export function isOwnBust(cause: string): boolean {
  return cause.startsWith(OWN_BUST);
}
