// Renders the page's figures: of one session, and of all sessions of a project.
import {
  formatDollars,
  formatHostName,
  type MoneyStatus,
  renderSavedSentence,
  shouldCompareWithHost,
} from "@session-runtime/opencode/status/money";
import { formatCount, renderCount, renderPercent } from "@session-runtime/opencode/status/wording";
import { type Cell, renderCells } from "../../page/cells.ts";
import { html, type Markup } from "../../page/markup.ts";
import type { Timeline, TimelineRewrite } from "../model.ts";
import { moment } from "../moment.ts";

/** Names the host of these sessions, for texts about what it alone would have cost. */
export function commonHost(timelines: readonly Timeline[]): string {
  const [name = "the host", ...others] = new Set(
    timelines.map(({ harness }) => formatHostName(harness)),
  );
  return others.length === 0 ? name : "the host";
}

export function renderFigures(timeline: Timeline): Markup {
  const { totals, money, rewrites } = timeline;
  return renderCells([
    billCell(totals.bill, totals.uncached),
    ...moneyCells(money, commonHost([timeline])),
    [
      "Read from the cache",
      renderPercent(totals.hitRate),
      `of the input of ${renderCount(totals.calls, "call")}`,
    ],
    [
      "Cache busts",
      formatCount(totals.busts),
      `${formatCount(totals.confirmedBusts)} confirmed by the provider; ${renderCount(totals.newEpochs, "new epoch")} apart from them`,
    ],
    ...rewriteCells(rewrites),
  ]);
}

/** Renders the head of a page of several sessions: their totals, and a line for each. */
export function renderProject(
  timelines: readonly [Timeline, ...Timeline[]],
  folder: string,
): Markup {
  const [{ atMs }] = timelines;
  const sum = (of: (timeline: Timeline) => number) =>
    timelines.reduce((all, timeline) => all + of(timeline), 0);
  const bill = sum(({ totals }) => totals.bill);
  const uncached = sum(({ totals }) => totals.uncached);
  const priced = timelines.filter(({ money }) => money.paidUsd !== null);
  const money = {
    paidUsd: priced.length === 0 ? null : sum(({ money }) => money.paidUsd ?? 0),
    savedUsd: priced.length === 0 ? null : sum(({ money }) => money.savedUsd ?? 0),
    sparedCalls: sum(({ money }) => money.sparedCalls),
    sparedTokens: sum(({ money }) => money.sparedTokens),
  };
  const cells: readonly Cell[] = [
    billCell(bill, uncached),
    ...moneyCells(money, commonHost(timelines)),
    [
      "Sessions",
      formatCount(timelines.length),
      `with ${renderCount(
        sum(({ totals }) => totals.calls),
        "call",
      )}`,
    ],
    [
      "Cache busts",
      formatCount(sum(({ totals }) => totals.busts)),
      `${renderCount(
        sum(({ totals }) => totals.newEpochs),
        "new epoch",
      )} apart from them`,
    ],
  ];
  return html`<h1>${folder}</h1>
<p class="dim">All ${formatCount(timelines.length)} sessions of this folder and of those below it, the most recently active first. Written ${moment(atMs)}.</p>
${renderCells(cells)}
<div class="scroll">${sessionTable(timelines)}</div>`;
}

function sessionTable(timelines: readonly Timeline[]): Markup {
  const names = ["Calls", "Bill, tokens", "Paid", "Read", "Busts", "New epochs"];
  const rows = timelines.map(({ title, sessionId, totals, money }) => {
    const cells = [
      formatCount(totals.calls),
      formatCount(totals.bill),
      money.paidUsd === null ? "–" : formatDollars(money.paidUsd),
      renderPercent(totals.hitRate),
      formatCount(totals.busts),
      formatCount(totals.newEpochs),
    ].map((cell, column) => html`<td data-name="${names[column] ?? ""}">${cell}</td>`);
    return html`<tr><th scope="row">${title ?? sessionId}</th>${cells}</tr>`;
  });
  const heads = ["Session", ...names].map((name) => html`<th scope="col">${name}</th>`);
  return html`<table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;
}

function billCell(bill: number, uncached: number): Cell {
  return [
    "Bill",
    `${formatCount(bill)} tokens`,
    `at the price of uncached input; without any cache ${formatCount(uncached)}`,
  ];
}

function rewriteCells(rewrites: readonly TimelineRewrite[]): readonly Cell[] {
  if (rewrites.length === 0) return [];
  const sum = (of: "costTokens" | "savedSoFar") =>
    rewrites.reduce((all, { state, [of]: tokens }) => (state === "undone" ? all : all + tokens), 0);
  const note = `tokens spared by ${renderCount(rewrites.length, "rewrite")}, which cost ${formatCount(sum("costTokens"))}`;
  return [["Old history", formatCount(sum("savedSoFar")), note]];
}

function moneyCells(money: MoneyStatus, host: string): readonly Cell[] {
  const { paidUsd, savedUsd } = money;
  if (paidUsd === null || savedUsd === null) return [];
  const note = shouldCompareWithHost(money, host)
    ? renderSavedSentence(savedUsd, money, host)
    : `by ${host}’s own prices`;
  return [["Paid", formatDollars(paidUsd), note]];
}
