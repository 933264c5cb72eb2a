// All that the demo shows on a terminal, in its order.
import type { Style } from "../terminal/style.ts";
import { showLongBars, showLongNotes, showLongTable } from "./long/show.ts";
import type { WholeDemo } from "./report.ts";
import { showBars, showNotes, showTable } from "./show.ts";

export function showDemo({ day, long }: WholeDemo, style: Style, columns: number): string {
  const parts = [
    ...(long === null ? [] : [style.bold("A day's work")]),
    showTable(day, style),
    showBars(day, style, columns),
    statusOf(day.status, style),
    style.dim(showNotes(day)),
  ];
  if (long === null) return parts.join("\n\n");
  return [
    ...parts,
    style.bold("A long session"),
    showLongTable(long, style),
    showLongBars(long, style, columns),
    statusOf(long.status, style),
    style.dim(showLongNotes(long)),
  ].join("\n\n");
}

function statusOf(status: string | null, style: Style): string {
  return `${style.bold("/ctx-status")}\n${status ?? "There was no report."}`;
}
