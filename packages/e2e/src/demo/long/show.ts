// The long session for the terminal: table, bars, notes.
import type { Style } from "../../terminal/style.ts";
import { type Column, type Row, renderTable } from "../../terminal/table.ts";
import { drawBars, percent, tokens } from "../show.ts";
import { countRight, type LongReport, type LongSide } from "./report.ts";

const COLUMNS: readonly Column[] = [
  { title: "Bill, in uncached input tokens", align: "left" },
  { title: "without", align: "right" },
  { title: "with", align: "right" },
  { title: "saved", align: "right" },
];

/** A row for each group of turns, then what it comes to and who still knew. */
export function showLongTable(report: LongReport, style: Style): string {
  const { without, with: with_ } = report;
  const steps = report.labels.map((label, index): Row => {
    const [left, right] = [without.bills[index] ?? 0, with_.bills[index] ?? 0];
    return [label, tokens(left), tokens(right), tokens(left - right)];
  });
  const both = (title: string, cell: (side: LongSide) => string): Row => [
    title,
    cell(without),
    cell(with_),
  ];
  return renderTable(COLUMNS, [
    ...steps,
    "rule",
    [
      style.bold("Total"),
      style.bold(tokens(without.bill)),
      style.bold(tokens(with_.bill)),
      style.bold(percent(1 - with_.bill / without.bill)),
    ],
    ...answerRows(report).map(([title, cell]) => both(title, cell)),
  ]);
}

/** What both the table and the page say besides the bill. */
export function answerRows({
  questions,
}: LongReport): readonly (readonly [string, (side: LongSide) => string])[] {
  return [
    ["Questions answered right", (side) => `${countRight(side)} of ${questions}`],
    ["  from what the model had before it", ({ fromContext }) => String(fromContext)],
    ["  after one look-up", ({ byLookUp }) => String(byLookUp)],
    ["Bill per right answer", (side) => perAnswer(side)],
    ["Largest request", ({ peakTokens }) => tokens(peakTokens)],
    ["Compactions by OpenCode", ({ compactions }) => String(compactions)],
  ];
}

function perAnswer(side: LongSide): string {
  return countRight(side) === 0 ? "–" : tokens(side.bill / countRight(side));
}

export function showLongBars(report: LongReport, style: Style, columns: number): string {
  const rows = report.labels.map((label, index) => ({
    label,
    left: report.without.bills[index] ?? 0,
    right: report.with.bills[index] ?? 0,
  }));
  return drawBars(rows, style, columns);
}

export function showLongNotes({ turns, windowTokens, questions, ages }: LongReport): string {
  return [
    `Session: ${turns} turns in a window of ${tokens(windowTokens)} tokens: files, commands, failing builds, searches.`,
    `  ${questions} turns ask for something that was said or seen once, ${ages.least} to ${ages.most} turns before. The scripted`,
    "  model is right if that stands in its request, or in what one ctx_search gives.",
    "Historian: a scripted model, which notes what it is shown; its calls count in the bill.",
    "/ctx-status counts what it spares against a session that carries all of it; OpenCode alone compacts.",
  ].join("\n");
}
