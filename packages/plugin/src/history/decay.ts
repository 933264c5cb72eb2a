// Decay: how much of a segment is still said, by its age, its importance and the room there is.
import { type Segment, TIERS, type Tier } from "./segment.ts";

/** A segment as it is said now; null: it is one of a run that is named only. */
export interface Aged {
  readonly segment: Segment;
  readonly tier: Tier | null;
}

const HALF_LIFE_TOKENS = 24_000;
const MEDIUM_IMPORTANCE = 50;
const IMPORTANCE_STEP = 25;
const LEAST_PRESSURE = 0.1;
/** Ages, in half-lives, at which a segment goes from one tier to the next. */
const LIMITS = [0.201, 0.729, 1.322, 2.587] as const;

export function tierOf(segment: Segment, pressure: number): Tier | null {
  const strength = 2 ** ((segment.importance - MEDIUM_IMPORTANCE) / IMPORTANCE_STEP);
  const halfLife = (HALF_LIFE_TOKENS * strength) / Math.max(pressure, LEAST_PRESSURE);
  // What is newest fades, too, where nothing else makes room.
  const age = Math.max(1, segment.ageTokens) / halfLife;
  const index = LIMITS.findIndex((limit) => age < limit);
  return TIERS[index] ?? null;
}

const HALVINGS = 32;
const MOST_PRESSURE = 1_000_000;

export function agedUnder(pressure: number, segments: readonly Segment[]): readonly Aged[] {
  return segments.map((segment) => ({ segment, tier: tierOf(segment, pressure) }));
}

/**
 * The least pressure under which what is said fits; where it fits under none, the most. More pressure
 * never says more, so that halving finds it.
 */
export function leastPressure(fits: (pressure: number) => boolean): number {
  if (fits(LEAST_PRESSURE)) return LEAST_PRESSURE;
  let low = LEAST_PRESSURE;
  let high = MOST_PRESSURE;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = Math.sqrt(low * high);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}
