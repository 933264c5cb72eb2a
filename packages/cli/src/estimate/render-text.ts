// Renders the estimate for a terminal.
import { formatDollars } from "@session-runtime/opencode/status/money";
import {
  cutText,
  formatCount,
  makeStringsVisible,
  renderCount,
} from "@session-runtime/opencode/status/wording";
import { typed } from "../invocation.ts";
import type { Style } from "../terminal/style.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import type { Estimates } from "./read-sessions.ts";
import { type EstimateSum, sumEstimates } from "./sum.ts";
import {
  dollarsBetween,
  doubtSentences,
  leftOutSentence,
  lessThan,
  moneySentence,
  resultSentence,
  tokensBetween,
} from "./wording.ts";

const MAX_SHOWN = 20;
const TITLE_WIDTH = 36;

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "calls", align: "right" },
  { title: "paid", align: "right" },
  { title: "with plugin", align: "right" },
  { title: "difference", align: "right" },
  { title: "asked again", align: "right" },
];

export function renderEstimates(stored: Estimates, style: Style): string {
  const { sessions, leftOut } = makeStringsVisible(stored);
  const sum = sumEstimates(sessions);
  const rows = sessions
    .slice(0, MAX_SHOWN)
    .map((one) => [
      cutText(one.title, TITLE_WIDTH),
      formatCount(one.calls),
      formatCount(one.paidTokens),
      formatCount(one.withPluginTokens.likely),
      lessThan(one.paidTokens, one.withPluginTokens.likely),
      formatCount(one.askedAgain),
    ]);
  const left = leftOutSentence(leftOut);
  return [
    style.bold(
      `${renderCount(sum.sessions, "past session")}, ${renderCount(sum.calls, "call")}. Computed on this machine; no model was called.`,
    ),
    "",
    billTable(sum),
    "",
    style.good(resultSentence(sum)),
    "",
    renderTable(COLUMNS, rows),
    ...(sessions.length > MAX_SHOWN
      ? [
          style.dim(
            `and ${formatCount(sessions.length - MAX_SHOWN)} more; --html and --json have all of them`,
          ),
        ]
      : []),
    "",
    ...(left === "" ? [] : [left]),
    `Tokens are counted at the price of uncached input, without the model's answers. ${moneySentence(sum)}`,
    ...doubtSentences(sum),
    style.dim(`As a page with a picture: ${typed("estimate --open")}`),
  ].join("\n");
}

/** Renders the bills, without a column of dollars where there are none. */
function billTable({ paidTokens, withPluginTokens, money }: EstimateSum): string {
  const columns: readonly Column[] = ["", "tokens", ...(money ? ["money"] : [])].map((title) => ({
    title,
    align: title === "" ? "left" : "right",
  }));
  const paid = ["Paid for context", formatCount(paidTokens)];
  const ours = ["With Session Runtime", formatCount(withPluginTokens.likely)];
  const between = ["  between", tokensBetween(withPluginTokens)];
  if (money === null) return renderTable(columns, [paid, ours, between]);
  return renderTable(columns, [
    [...paid, formatDollars(money.paidUsd)],
    [...ours, formatDollars(money.withPluginUsd.likely)],
    [...between, dollarsBetween(money.withPluginUsd)],
  ]);
}
