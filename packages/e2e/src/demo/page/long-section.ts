// The long session's section of the page.
import { html } from "../../../../cli/src/page/escape.ts";
import type { LongReport } from "../long/report.ts";
import { answerRows, showLongNotes } from "../long/show.ts";
import { percent, tokens } from "../show.ts";
import { chart, status } from "./parts.ts";

export function longSection(report: LongReport): string {
  return `<h2>A long session</h2>
<p class="dim">${html(showLongNotes(report)).replace(/\s+/g, " ")}</p>
${chart("long", "Bill of each group of turns, in equivalents of an uncached input token")}
<div class="scroll">${table(report)}</div>
<h2>/ctx-status at the end of the long session</h2>
${status(report.status)}`;
}

function table(report: LongReport): string {
  const { without, with: with_, labels } = report;
  const row = (cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<td>${html(cell)}</td>`).join("")}</tr>`;
  const bills = labels.map((label, index) => {
    const [left, right] = [without.bills[index] ?? 0, with_.bills[index] ?? 0];
    return row([label, tokens(left), tokens(right), tokens(left - right)]);
  });
  const answers = answerRows(report).map(([title, cell]) =>
    row([title.trim(), cell(without), cell(with_), ""]),
  );
  const saved = percent(1 - with_.bill / without.bill);
  return `<table>
<thead><tr>${["Turns", "without", "with", "saved"].map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${bills.join("\n")}
${row(["Total", tokens(without.bill), tokens(with_.bill), saved])}
${answers.join("\n")}
</tbody>
</table>`;
}
