// How long starts of other programs are waited for, and what is said where that was not long enough.

/** A start of a host takes half a second: this is for a machine that has much else to do. */
export const START_PATIENCE_MS = 30_000;

/** A few starts, or one that loads the user's whole set-up. */
export const TRIAL_PATIENCE_MS = 240_000;

/** The end of a sentence on what could not be seen: time alone shows nothing of a program. */
export function withinWords(patienceMs: number): string {
  return `within ${patienceMs / 1_000} s; this machine may be busy`;
}
