// Renders the estimate as a page: its figures, a picture, a row for each session, and how it is counted.
// Folder: The estimate as an HTML page.
import { formatDollars } from "@session-runtime/opencode/status/money";
import {
  formatCount,
  makeStringsVisible,
  renderCount,
} from "@session-runtime/opencode/status/wording";
import { type Cell, renderCells } from "../../page/cells.ts";
import { renderDocument } from "../../page/document.ts";
import { html, type Markup } from "../../page/markup.ts";
import { moment } from "../../timeline/moment.ts";
import type { Estimates } from "../read-sessions.ts";
import type { SessionEstimate } from "../session-estimate.ts";
import { type EstimateSum, sumEstimates } from "../sum.ts";
import {
  againPer100,
  dollarsBetween,
  doubtSentences,
  leftOutSentence,
  lessBetween,
  lessThan,
  moneySentence,
  resultSentence,
  tokensBetween,
} from "../wording.ts";
import style from "./estimate.css" with { type: "text" };
import { renderPicture } from "./picture.ts";

/** Renders one HTML file that fetches nothing and runs nothing. */
export function renderEstimatePage(stored: Estimates, atMs: number): string {
  const { sessions, leftOut } = makeStringsVisible(stored);
  const sum = sumEstimates(sessions);
  const left = leftOutSentence(leftOut);
  return renderDocument({
    title: "Session Runtime: an estimate for your past sessions",
    style,
    body: html`<h1>What your past sessions would have cost with Session Runtime</h1>
<p class="dim">${renderCount(sum.sessions, "session")} of OpenCode, ${renderCount(sum.calls, "call")}. Computed on this machine; no model was called. Written ${moment(atMs)}.</p>
${renderCells(summaryCells(sum))}
<p>${resultSentence(sum)}</p>
<h2>Session by session</h2>
<p class="key"><span class="paid">paid</span><span class="ours">with the plugin</span><span class="range">its range</span></p>
<figure><figcaption>The bill for context, in tokens at the price of uncached input</figcaption>
${renderPicture(sessions)}
</figure>
<h2>All figures</h2>
<div class="scroll" tabindex="0" role="region" aria-label="All figures">${renderTable(sessions)}</div>
<h2>How this is counted</h2>
<p class="dim">${[METHOD, moneySentence(sum), ...doubtSentences(sum), left].join(" ")}</p>`,
    program: null,
  });
}

function summaryCells(sum: EstimateSum): readonly Cell[] {
  const { paidTokens, withPluginTokens, money } = sum;
  return [
    [
      "Paid for context",
      `${formatCount(paidTokens)} tokens`,
      money ? formatDollars(money.paidUsd) : "at the price of uncached input",
    ],
    [
      "With Session Runtime",
      `${formatCount(withPluginTokens.likely)} tokens`,
      money
        ? `${formatDollars(money.withPluginUsd.likely)}; ${dollarsBetween(money.withPluginUsd)}`
        : tokensBetween(withPluginTokens),
    ],
    [
      "Difference",
      lessThan(paidTokens, withPluginTokens.likely),
      lessBetween(paidTokens, withPluginTokens),
    ],
    [
      "Asked for again",
      againPer100(sum),
      `results per 100 calls, in ${renderCount(sum.extraCalls, "more call")}`,
    ],
  ];
}

const METHOD =
  "Each session was read from OpenCode’s own database as sizes, kinds, times and uses, and simulated twice: on OpenCode alone, and with the plugin. Before each step, the simulated model asks again for the results that the step uses and that are no longer sent. The estimate is what was paid, by OpenCode’s own record of each call, times the ratio of the two simulated bills. A cache expires after five minutes. The model’s answers are left out, because they are the same.";

const COLUMNS = [
  "Calls",
  "Paid",
  "With plugin",
  "Between",
  "Difference",
  "Asked again",
  "Rewrites",
];

function renderTable(sessions: readonly SessionEstimate[]): Markup {
  const rows = sessions.map((one) => {
    const cells = [
      formatCount(one.calls),
      formatCount(one.paidTokens),
      formatCount(one.withPluginTokens.likely),
      tokensBetween(one.withPluginTokens),
      lessThan(one.paidTokens, one.withPluginTokens.likely),
      formatCount(one.askedAgain),
      formatCount(one.rewrites),
    ].map((cell, column) => html`<td data-name="${COLUMNS[column] ?? ""}">${cell}</td>`);
    const where = html`<small class="dim">${one.model}, ${one.directory}</small>`;
    return html`<tr><th scope="row">${one.title} ${where}</th>${cells}</tr>`;
  });
  const heads = ["Session", ...COLUMNS].map((name) => html`<th scope="col">${name}</th>`);
  return html`<table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;
}
