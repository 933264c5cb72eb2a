// Limits how long to wait for other programs, and words the message where that was not long enough.

/** Limits one start of a host, which takes half a second; a busy machine needs far more. */
export const START_PATIENCE_MS = 30_000;

/** Limits a few starts, or one that loads the user's whole set-up. */
export const TRIAL_PATIENCE_MS = 240_000;

/** Ends a sentence about an unknown result: a timeout alone shows nothing about a program. */
export function withinWords(patienceMs: number): string {
  return `within ${patienceMs / 1_000} s; this machine may be busy`;
}
