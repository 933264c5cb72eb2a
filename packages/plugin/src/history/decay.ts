// Decides how much of a segment is shown, by its age, its importance and the space available.
import { type Segment, TIERS, type Tier } from "./segment.ts";

/** A segment at its present tier; null: it is one of a run that is only named. */
export interface TieredSegment {
  readonly segment: Segment;
  readonly tier: Tier | null;
}

const HALF_LIFE_TOKENS = 24_000;
const MEDIUM_IMPORTANCE = 50;
const IMPORTANCE_STEP = 25;
const MIN_PRESSURE = 0.1;
/** Ages, in half-lives, at which a segment goes from one tier to the next. */
const LIMITS = [0.201, 0.729, 1.322, 2.587] as const;

export function chooseTier(segment: Segment, pressure: number): Tier | null {
  const age = (effectiveAge(segment) * Math.max(pressure, MIN_PRESSURE)) / HALF_LIFE_TOKENS;
  const index = LIMITS.findIndex((limit) => age < limit);
  return TIERS[index] ?? null;
}

/** Returns the age, in tokens, that a segment of medium importance would have to fade as much. */
function effectiveAge({ importance, ageTokens }: Segment): number {
  const strength = 2 ** ((importance - MEDIUM_IMPORTANCE) / IMPORTANCE_STEP);
  // Even the newest fades where nothing else makes space.
  return Math.max(1, ageTokens) / strength;
}

const MAX_PRESSURE = 1_000_000;

export function tierSegments(
  pressure: number,
  segments: readonly Segment[],
): readonly TieredSegment[] {
  return segments.map((segment) => ({ segment, tier: chooseTier(segment, pressure) }));
}

/**
 * Finds the least pressure under which the text of these segments fits; the most if it fits under none. More
 * pressure never makes the text longer, so bisection works on the pressures at which a segment changes tier.
 */
export function leastPressure(
  segments: readonly Segment[],
  fits: (pressure: number) => boolean,
): number {
  if (fits(MIN_PRESSURE)) return MIN_PRESSURE;
  const steps = segments
    .flatMap((segment) => LIMITS.map((limit) => pressureAt(segment, limit)))
    .filter((pressure) => pressure > MIN_PRESSURE && pressure < MAX_PRESSURE)
    .sort((one, other) => one - other);
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(steps[middle] ?? MAX_PRESSURE)) high = middle;
    else low = middle + 1;
  }
  return steps[low] ?? MAX_PRESSURE;
}

/** Steps just past a limit, so that rounding does not fall short of it. */
const BEYOND = 1 + 1e-9;

/** Returns the pressure at which the segment passes this limit. */
function pressureAt(segment: Segment, limit: number): number {
  return ((limit * HALF_LIFE_TOKENS) / effectiveAge(segment)) * BEYOND;
}
