// Recorded sessions on the real host, side by side: OpenCode alone, the peer, and this plugin.
import { join } from "node:path";
import { writeTableRow } from "../../../../../scripts/host-table.mjs";
import { stepsOf } from "../../../../plugin/src/simulation/recorded.ts";
import { percent } from "../../demo/show.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { billOf, type Hosted as OnHost } from "./hosted.ts";
import type { Replayed } from "./replay.ts";
import { STANDING } from "./standing.ts";
import { mean, total } from "./sums.ts";

const PAGE = join(import.meta.dir, "../../../../../docs/other-plugins.md");

type Hosted = Pick<OnHost, "recorded" | "stock" | "ours" | "peer">;

const NOT_MEASURED = "not measured";

interface Beside {
  readonly name: string;
  readonly of: (one: Hosted) => Replayed | null;
}

/** Who is measured, in that page's order. */
function sidesOf(all: readonly Hosted[]): readonly Beside[] {
  const peer = all[0]?.peer?.name ?? "no other plugin";
  return [
    { name: "OpenCode alone", of: ({ stock }) => stock },
    { name: peer, of: (one) => one.peer },
    { name: "Session Runtime", of: ({ ours }) => ours },
  ];
}

interface BesideFigures {
  /** In the sum of the sessions, against OpenCode alone. */
  readonly share: number;
  readonly worstShare: number;
  /** Per 100 steps. */
  readonly again: number;
  /** By `STANDING`: the mean of the sessions in which something had been said. */
  readonly standing: readonly number[];
}

/** Null: not measured. */
function figuresOf(all: readonly Hosted[], { of }: Beside): BesideFigures | null {
  const sides = all.flatMap((one) => {
    const replayed = of(one);
    return replayed === null ? [] : [{ one, replayed }];
  });
  if (sides.length === 0 || sides.length < all.length) return null;
  const steps = total(all.map(({ recorded }) => stepsOf(recorded).length));
  const shares = sides.map(({ one, replayed }) => billOf(replayed) / billOf(one.stock));
  return {
    share:
      total(sides.map(({ replayed }) => billOf(replayed))) /
      total(all.map(({ stock }) => billOf(stock))),
    worstShare: Math.max(...shares),
    again: (100 * total(sides.map(({ replayed }) => replayed.askedAgain))) / steps,
    standing: STANDING.map((what) => {
      const shown = sides.flatMap(({ replayed }) => replayed.standing[what]?.mean ?? []);
      return shown.length === 0 ? 1 : mean(shown);
    }),
  };
}

const COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  ...["bill ÷ stock, in sum", "worst session", "asked again per 100 steps"].map(right),
  ...["earlier prompts whole", "five or more turns back", "lines of closing answers"].map(right),
];

function right(title: string): Column {
  return { title, align: "right" };
}

/** A row for each side that was measured. */
export function besideTable(all: readonly Hosted[]): string {
  const rows = sidesOf(all).flatMap((side) => {
    const figures = figuresOf(all, side);
    if (figures === null) return [];
    const { share, worstShare, again, standing } = figures;
    return [
      [
        side.name,
        ...[share, worstShare].map((value) => value.toFixed(3)),
        again.toFixed(1),
        ...standing.map(percent),
      ],
    ];
  });
  return markdownTable(COLUMNS, rows);
}

/** Rows of docs/other-plugins.md, by their first cell. */
export function pageRows(all: readonly Hosted[]): ReadonlyMap<string, readonly string[]> {
  const [stock, peer, ours] = sidesOf(all).map((side) => figuresOf(all, side));
  const row = (cell: (figures: BesideFigures) => string) => {
    const shown = [stock, peer, ours].map((one) => (one ? cell(one) : NOT_MEASURED));
    return [...shown.slice(0, 2), NOT_MEASURED, ...shown.slice(2)];
  };
  return new Map([
    [`bill of ${all.length} recorded sessions`, row(({ share }) => percent(share))],
    ["results asked for again, per 100 calls", row(({ again }) => again.toFixed(1))],
    ["your earlier prompts that stand", row(promptsOf)],
  ]);
}

/** The README has it too; empty where no other plugin was measured. */
export function besideSentence(all: readonly Hosted[]): string {
  const [, peer, own] = sidesOf(all);
  const [beside, ours] = [peer, own].map((side) => (side ? figuresOf(all, side) : null));
  if (!peer || !beside || !ours) return "";
  return `${all.length} recorded sessions on the real OpenCode: ${percent(beside.share)} of its bill with ${peer.name}, **${percent(ours.share)}** with Session Runtime.`;
}

function promptsOf({ standing }: BesideFigures): string {
  return percent(standing[0] ?? 1);
}

export function writePageRows(all: readonly Hosted[]): void {
  for (const [label, cells] of pageRows(all)) writeTableRow(PAGE, label, cells);
}
