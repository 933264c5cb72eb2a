// What of the words said earlier stood in the calls of recorded sessions, over several of them.

import type { InstructionFigures } from "../../../../cli/src/simulation/standing-words.ts";
import { percent } from "../../demo/show.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { SimulatedFigures } from "./simulated.ts";
import { mean } from "./sums.ts";

export const STANDING = [
  "prompts",
  "farPrompts",
  "closings",
] as const satisfies readonly (keyof InstructionFigures)[];

export type Side = "stock" | "ours";

/** Sessions in which nothing had been said before are left out; where none is left, nothing is missing. */
export interface StandingSpread {
  readonly mean: number;
  /** The session with the smallest mean, and the call with the smallest share. */
  readonly worstSession: number;
  readonly worstCall: number;
}

export function measureStanding(
  all: readonly Pick<SimulatedFigures, "standing">[],
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

const COLUMNS: readonly Column[] = [
  { title: "simulated", align: "left" },
  ...["window", "earlier prompts whole", "worst session", "five or more turns back"].map(right),
  ...["worst session", "lines of closing answers", "worst session"].map(right),
];

function right(title: string): Column {
  return { title, align: "right" };
}

const NAMES: Readonly<Record<Side, string>> = { stock: "OpenCode alone", ours: "with the plugin" };

/** Two rows for each window. */
export function standingTable(windows: ReadonlyMap<number, readonly SimulatedFigures[]>): string {
  const rows = [...windows].flatMap(([tokens, all]) =>
    (["stock", "ours"] as const).map((side) => [
      NAMES[side],
      tokens.toLocaleString("en-US"),
      ...STANDING.map((what) => measureStanding(all, side, what)).flatMap((spread) => [
        percent(spread.mean),
        percent(spread.worstSession),
      ]),
    ]),
  );
  return markdownTable(COLUMNS, rows);
}
