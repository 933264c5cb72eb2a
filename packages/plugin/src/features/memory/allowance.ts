// Limits how many memories models may store, so that whoever controls one can't flood a project. Pure.

/** A long day's work gives a dozen. What the historian finds in one answer is twelve at most. */
export const MAX_PER_SESSION = 40;
/** The limit of one project in 24 hours. A Baseline has room for some sixty. */
export const MAX_PER_DAY = 100;

export const DAY_MS = 24 * 60 * 60_000;

/** Counts the memories that models have stored, candidates included. */
export interface StoredByModels {
  readonly inSession: number;
  readonly inDay: number;
}

/** Returns how many more memories models may store. */
export function allowance({ inSession, inDay }: StoredByModels): number {
  return Math.max(0, Math.min(MAX_PER_SESSION - inSession, MAX_PER_DAY - inDay));
}
