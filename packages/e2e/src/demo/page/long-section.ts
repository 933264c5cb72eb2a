// The long session's section of the page.
import { html, type Markup } from "../../../../cli/src/page/markup.ts";
import type { LongReport } from "../long/report.ts";
import { answerRows, showLongNotes } from "../long/show.ts";
import { percent, tokens } from "../show.ts";
import { chart, status } from "./parts.ts";

export function longSection(report: LongReport): Markup {
  return html`<h2>A long session</h2>
<p class="dim">${showLongNotes(report).replace(/\s+/g, " ")}</p>
${chart("long", "Bill of each group of turns, in equivalents of an uncached input token")}
<div class="scroll">${table(report)}</div>
<h2>/ctx-status at the end of the long session</h2>
${status(report.status)}`;
}

function table(report: LongReport): Markup {
  const { without, with: with_, labels } = report;
  const row = (cells: readonly string[]) =>
    html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  const bills = labels.map((label, index) => {
    const [left, right] = [without.bills[index] ?? 0, with_.bills[index] ?? 0];
    return row([label, tokens(left), tokens(right), tokens(left - right)]);
  });
  const answers = answerRows(report).map(([title, cell]) =>
    row([title.trim(), cell(without), cell(with_), ""]),
  );
  const saved = percent(1 - with_.bill / without.bill);
  return html`<table>
<thead><tr>${["Turns", "without", "with", "saved"].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${bills}
${row(["Total", tokens(without.bill), tokens(with_.bill), saved])}
${answers}
</tbody>
</table>`;
}
