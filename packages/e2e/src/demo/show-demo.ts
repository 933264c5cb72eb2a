// All that the demo shows on a terminal, in its order.
import type { Style } from "../terminal/style.ts";
import { showLongBars, showLongNotes, showLongTable } from "./long/show.ts";
import { computeSavedShare, type DemoReport, type WholeDemo } from "./report.ts";
import { showBars, showNotes, showTable } from "./show.ts";

export function showDemo({ day, long }: WholeDemo, style: Style, columns: number): string {
  const parts = [
    style.bold(billLine(day)),
    ...(long === null ? [] : [style.bold("A day's work")]),
    showTable(day, style),
    showBars(day, style, columns),
    renderStatusText(day.status, style),
    style.dim(showNotes(day)),
  ];
  if (long === null) return parts.join("\n\n");
  return [
    ...parts,
    style.bold("A long session"),
    showLongTable(long, style),
    showLongBars(long, style, columns),
    renderStatusText(long.status, style),
    style.dim(showLongNotes(long)),
  ].join("\n\n");
}

function renderStatusText(status: string | null, style: Style): string {
  return `${style.bold("/ctx-status")}\n${status ?? "There was no report."}`;
}

/** What all of it is about, before the details. */
function billLine(day: DemoReport): string {
  const [without, with_] = [day.without, day.with].map(({ totals }) =>
    Math.round(totals.bill).toLocaleString("en-US"),
  );
  const share = (100 * computeSavedShare(day)).toFixed(1);
  return `Bill: ${without} tokens without Session Runtime, ${with_} with it: ${share} % less`;
}
