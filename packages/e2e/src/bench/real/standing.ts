// What of the words said earlier stood in the calls of recorded sessions, over several of them.
import type { StandingFigures } from "../../../../plugin/src/simulation/standing-words.ts";
import type { Simulated } from "./simulated.ts";
import { mean } from "./sums.ts";

export const STANDING = [
  "prompts",
  "farPrompts",
  "closings",
] as const satisfies readonly (keyof StandingFigures)[];

export type Side = "stock" | "ours";

/** Sessions in which nothing had been said before are left out; where none is left, nothing is missing. */
export interface StandingSpread {
  readonly mean: number;
  /** The session with the smallest mean, and the call with the smallest share. */
  readonly worstSession: number;
  readonly worstCall: number;
}

export function standingOf(
  all: readonly Pick<Simulated, "standing">[],
  side: Side,
  what: (typeof STANDING)[number],
): StandingSpread {
  const shares = all.flatMap(({ standing }) => standing[side][what] ?? []);
  const means = shares.map((share) => share.mean);
  return {
    mean: means.length === 0 ? 1 : mean(means),
    worstSession: Math.min(1, ...means),
    worstCall: Math.min(1, ...shares.map(({ worst }) => worst)),
  };
}
