// The figures by which history's constants are chosen: bill, askings, rewrites, and the words that stand.
import { percent } from "../../demo/show.ts";
import { type Column, renderTable } from "../../terminal/table.ts";
import {
  againPer100,
  givenUpShare,
  measureSpread,
  rewritesPer100,
  rewrittenShare,
  type SimulatedFigures,
} from "./simulated.ts";
import { measureStanding, type Side, STANDING } from "./standing.ts";
import { mean } from "./sums.ts";

/** A constant is chosen on one half of the sessions and reported on the other. */
export type Half = "all" | "fit" | "report";

export function takeHalf<T>(half: Half, all: readonly T[]): readonly T[] {
  if (half === "all") return all;
  return all.filter((_, index) => index % 2 === (half === "fit" ? 0 : 1));
}

const COLUMNS: readonly Column[] = [
  { title: "sessions", align: "left" },
  ...["window", "÷ stock: mean, sum, worst", "÷ bound", "asked again per 100: mean, worst"].map(
    right,
  ),
  ...["rewrites per 100 calls", "they write, and give up of the cache: of the bill"].map(right),
  ...["prompts whole: mean, worst session, worst call", "five or more back", "closings' lines"].map(
    right,
  ),
];

function right(title: string): Column {
  return { title, align: "right" };
}

/** A row for each window, and one for OpenCode alone; with `sessions`, one for each session before them. */
export function frontierTable(
  half: Half,
  windows: ReadonlyMap<number, readonly SimulatedFigures[]>,
  detail: "sums" | "sessions",
): string {
  const rows = [...windows].flatMap(([tokens, all]) => [
    ...(detail === "sessions"
      ? all.map((one) => formatRow(one.recorded.session, tokens, [one]))
      : []),
    formatRow(half, tokens, all),
    stockRow(tokens, all),
  ]);
  return renderTable(COLUMNS, rows);
}

function formatRow(
  name: string,
  tokens: number,
  all: readonly SimulatedFigures[],
): readonly string[] {
  const { share, overBound, again } = measureSpread(all);
  return [
    name,
    tokens.toLocaleString("en-US"),
    [share.mean, share.sum, share.worst].map((value) => value.toFixed(3)).join(", "),
    overBound.toFixed(2),
    [again.mean, again.worst].map((value) => value.toFixed(1)).join(", "),
    rewritesPer100(all).toFixed(1),
    [rewrittenShare(all), givenUpShare(all)].map(percent).join(", "),
    ...shares(all, "ours"),
  ];
}

function stockRow(tokens: number, all: readonly SimulatedFigures[]): readonly string[] {
  const again = all.map(({ stock, recorded, ...one }) =>
    againPer100({ ...one, recorded, stock, ours: stock }),
  );
  return [
    "OpenCode alone",
    tokens.toLocaleString("en-US"),
    "1",
    mean(all.map(({ stock, bound }) => stock.bill / bound)).toFixed(2),
    [mean(again), Math.max(...again)].map((value) => value.toFixed(1)).join(", "),
    ...["", ""],
    ...shares(all, "stock"),
  ];
}

function shares(all: readonly SimulatedFigures[], side: Side): readonly string[] {
  return STANDING.map((what) => {
    const { mean, worstSession, worstCall } = measureStanding(all, side, what);
    return [mean, worstSession, worstCall].map(percent).join(", ");
  });
}
