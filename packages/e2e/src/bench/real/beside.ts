// Recorded sessions on the real host, side by side: OpenCode alone, the peer, and this plugin.
import { join } from "node:path";
import { writeTableRow } from "../../../../../scripts/host-table.mjs";
import { listSteps } from "../../../../cli/src/simulation/recorded.ts";
import { percent } from "../../demo/show.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { type HostedFigures as OnHost, sumBills } from "./hosted.ts";
import type { ReplayedSession } from "./replay.ts";
import { STANDING } from "./standing.ts";
import { mean, total } from "./sums.ts";

const PAGE = join(import.meta.dir, "../../../../../docs/other-plugins.md");

type HostedSession = Pick<OnHost, "recorded" | "stock" | "ours" | "peer">;

const NOT_MEASURED = "not measured";

interface SessionComparison {
  readonly name: string;
  readonly of: (one: HostedSession) => ReplayedSession | null;
}

/** Who is measured, in that page's order. */
function listSides(all: readonly HostedSession[]): readonly SessionComparison[] {
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
function computeFigures(
  all: readonly HostedSession[],
  { of }: SessionComparison,
): BesideFigures | null {
  const sides = all.flatMap((one) => {
    const replayed = of(one);
    return replayed === null ? [] : [{ one, replayed }];
  });
  if (sides.length === 0 || sides.length < all.length) return null;
  const steps = total(all.map(({ recorded }) => listSteps(recorded).length));
  const shares = sides.map(({ one, replayed }) => sumBills(replayed) / sumBills(one.stock));
  return {
    share:
      total(sides.map(({ replayed }) => sumBills(replayed))) /
      total(all.map(({ stock }) => sumBills(stock))),
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
export function besideTable(all: readonly HostedSession[]): string {
  const rows = listSides(all).flatMap((side) => {
    const figures = computeFigures(all, side);
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
export function pageRows(all: readonly HostedSession[]): ReadonlyMap<string, readonly string[]> {
  const [stock, peer, ours] = listSides(all).map((side) => computeFigures(all, side));
  const row = (cell: (figures: BesideFigures) => string) => {
    const shown = [stock, peer, ours].map((one) => (one ? cell(one) : NOT_MEASURED));
    return [...shown.slice(0, 2), NOT_MEASURED, ...shown.slice(2)];
  };
  return new Map([
    [`bill of ${all.length} recorded sessions`, row(({ share }) => percent(share))],
    ["results asked for again, per 100 calls", row(({ again }) => again.toFixed(1))],
    ["your earlier prompts that stand", row(formatPromptShare)],
  ]);
}

/** The README has it too; empty where no other plugin was measured. */
export function besideSentence(all: readonly HostedSession[]): string {
  const [, peer, own] = listSides(all);
  const [beside, ours] = [peer, own].map((side) => (side ? computeFigures(all, side) : null));
  if (!peer || !beside || !ours) return "";
  return `${all.length} recorded sessions on the real OpenCode: ${percent(beside.share)} of its bill with ${peer.name}, **${percent(ours.share)}** with Session Runtime.`;
}

function formatPromptShare({ standing }: BesideFigures): string {
  return percent(standing[0] ?? 1);
}

export function writePageRows(all: readonly HostedSession[]): void {
  for (const [label, cells] of pageRows(all)) writeTableRow(PAGE, label, cells);
}
