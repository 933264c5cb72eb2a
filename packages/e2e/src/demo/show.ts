// The report for the terminal: table, bars, notes.
import { bar } from "../terminal/bars.ts";
import type { Style } from "../terminal/style.ts";
import { type Column, type Row, renderTable } from "../terminal/table.ts";
import {
  billRatio,
  computeReadShare,
  computeSavedShare,
  type DemoReport,
  type Side,
  WITH,
} from "./report.ts";

const COLUMNS: readonly Column[] = [
  { title: "Bill, in uncached input tokens", align: "left" },
  { title: "without", align: "right" },
  { title: "with", align: "right" },
  { title: "saved", align: "right" },
];

/** The table: a row for each step, then what it comes to. */
export function showTable(report: DemoReport, style: Style): string {
  const steps: readonly Row[] = report.steps.map(({ label }, index) => {
    const [left, right] = [billAt(report.without, index), billAt(report.with, index)];
    if (left === 0 && right === 0) return [style.dim(`  ${label}`)];
    return [label, tokens(left), tokens(right), tokens(left - right)];
  });
  const { without, with: with_ } = report;
  return renderTable(COLUMNS, [
    ...steps,
    "rule",
    [
      style.bold("Total"),
      style.bold(tokens(without.totals.bill)),
      style.bold(tokens(with_.totals.bill)),
      style.bold(percent(computeSavedShare(report))),
    ],
    ["Read from the cache", percent(computeReadShare(without)), percent(computeReadShare(with_))],
    ["Bill ÷ ideal bill", ratio(without), ratio(with_)],
  ]);
}

/** Two bars a step, on one scale. */
export function showBars(report: DemoReport, style: Style, columns: number): string {
  const drawn = report.steps
    .map(({ label }, index) => ({
      label,
      left: billAt(report.without, index),
      right: billAt(report.with, index),
    }))
    .filter(({ left, right }) => left + right > 0);
  return drawBars(drawn, style, columns);
}

/** A label with a bar for each side. */
interface BarRow {
  readonly label: string;
  readonly left: number;
  readonly right: number;
}

export function drawBars(rows: readonly BarRow[], style: Style, columns: number): string {
  const maximum = Math.max(...rows.flatMap(({ left, right }) => [left, right]));
  const labelWidth = Math.max(...rows.map(({ label }) => label.length));
  const room = Math.max(MINIMUM_BAR, columns - labelWidth - FIGURE_WIDTH);
  const line = (label: string, value: number, paint: (text: string) => string) =>
    `${label.padEnd(labelWidth)} ${paint(bar(value, maximum, room))} ${tokens(value)}`;
  const key = `${"".padEnd(labelWidth)} ${style.bad("█ without")}  ${style.good(`█ ${WITH}`)}`;
  const lines = rows.flatMap(({ label, left, right }) => [
    line(label, left, style.bad),
    line("", right, style.good),
  ]);
  return [key, ...lines].join("\n");
}

export function showNotes(report: DemoReport): string {
  const below =
    billRatio(report.with) < 1
      ? ["Below 1: the second project's first turn read what the first project had paid for."]
      : [];
  return [
    `Session: ${report.about}.`,
    `Provider: ${report.provider}.`,
    "Ideal: per session, model and tool list each token is written once and read after; what an undo",
    "  or a compaction replaces counts as new. Written 1.25, read 0.1, else 1; answers not counted.",
    ...below,
    ...report.notes,
  ].join("\n");
}

const MINIMUM_BAR = 16;
const FIGURE_WIDTH = 10;

export function tokens(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function ratio(side: Side): string {
  return billRatio(side).toFixed(3);
}

function billAt(side: Side, index: number): number {
  return side.steps[index]?.bill ?? 0;
}
