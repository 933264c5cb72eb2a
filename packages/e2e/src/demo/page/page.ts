// The report as one HTML file that fetches nothing.
// Folder: The demo's page.
import { join } from "node:path";
import { renderDocument } from "../../../../cli/src/page/document.ts";
import { html, type Markup } from "../../../../cli/src/page/markup.ts";
import {
  billRatio,
  computeReadShare,
  computeSavedShare,
  type DemoReport,
  type WholeDemo,
  WITH,
} from "../report.ts";
import { percent, tokens } from "../show.ts";
import { longSection } from "./long-section.ts";
import style from "./page.css" with { type: "text" };
import { chart, status } from "./parts.ts";

/** The report as one file of HTML that fetches nothing: style, script and chart library are in it. */
export async function renderPage(demo: WholeDemo): Promise<string> {
  return renderDocument({
    title: "Session Runtime: what a day's session costs",
    style,
    body: renderBody(demo),
    program: { data: { id: "report", value: demo }, script: await script() },
  });
}

function renderBody({ day: report, long }: WholeDemo): Markup {
  return html`<h1>What a session costs, without and with Session Runtime</h1>
<p class="dim">One scripted session on the real ${report.host}, played twice: ${report.about}.
Provider: ${report.provider}.</p>
${figures(report)}
<p class="key"><span class="without">without</span><span class="with">${WITH}</span></p>
${chart("bars", "Each step's bill, in equivalents of an uncached input token")}
${chart("sums", "The bill so far")}
<h2>Step by step</h2>
<div class="scroll">${table(report)}</div>
<h2>/ctx-status at the end</h2>
${status(report.status)}
${long === null ? "" : longSection(long)}
<h2>How this is counted</h2>
<p class="dim">A token that is written to the cache costs 1.25 (Anthropic) or 1 (OpenAI), one that is
read from it 0.1, any other 1. The model's answers are left out, as they are the same. The ideal bill
writes each token once and reads it after, per session, model and tool list; what an undo or a
compaction replaces counts as new. A ratio below 1 means that something was read which another
session had paid for.</p>
${report.notes.map((note) => html`<p class="dim">${note}</p>`)}`;
}

function figures(report: DemoReport): Markup {
  const { without, with: with_ } = report;
  const cells: readonly (readonly [string, string, string])[] = [
    ["Saved", percent(computeSavedShare(report)), "of the bill for input tokens"],
    ["Bill", tokens(with_.totals.bill), `without ${tokens(without.totals.bill)}`],
    [
      "Read from the cache",
      percent(computeReadShare(with_)),
      `without ${percent(computeReadShare(without))}`,
    ],
    ["Bill ÷ ideal", billRatio(with_).toFixed(3), `without ${billRatio(without).toFixed(3)}`],
  ];
  const inner = cells.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  );
  return html`<dl class="figures">${inner}</dl>`;
}

function table(report: DemoReport): Markup {
  const rows = report.steps.map(({ label }, index) => {
    const left = report.without.steps[index];
    const right = report.with.steps[index];
    if (!left || !right || left.bill + right.bill === 0) {
      return html`<tr class="event"><td colspan="6">${label}</td></tr>`;
    }
    const cells = [
      tokens(left.bill),
      tokens(right.bill),
      tokens(left.bill - right.bill),
      percent(left.readTokens / left.promptTokens),
      percent(right.readTokens / right.promptTokens),
    ];
    return html`<tr><td>${label}</td>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  });
  const { without, with: with_ } = report;
  const sums = [
    tokens(without.totals.bill),
    tokens(with_.totals.bill),
    tokens(without.totals.bill - with_.totals.bill),
    percent(computeReadShare(without)),
    percent(computeReadShare(with_)),
  ];
  const heads = ["Step", "without", "with", "saved", "read, without", "read, with"];
  return html`<table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows}
</tbody>
<tfoot><tr><td>Total</td>${sums.map((sum) => html`<td>${sum}</td>`)}</tr></tfoot>
</table>`;
}

/** Only what the charts need of Chart.js. */
async function script(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "draw.js")],
    target: "browser",
    format: "iife",
    minify: true,
  });
  const [output] = built.outputs;
  if (!output) throw new Error(`The page's script could not be built: ${built.logs.join("\n")}`);
  return output.text();
}
