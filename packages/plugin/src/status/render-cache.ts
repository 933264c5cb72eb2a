// Renders the cache, call by call, as text.
import { sumContextTokens } from "../storage/turn-figures.ts";
import type { BustStatus, CacheStatus, CacheTotals, CallStatus } from "./cache.ts";
import { type MoneyStatus, renderMoneyLine } from "./money.ts";
import {
  cutText,
  describeEpochCause,
  formatAgo,
  formatCount,
  renderCount,
  renderPercent,
  renderSparkline,
  wrap,
} from "./wording.ts";

/** The number of newest calls that are shown in a line each. */
const MAX_SHOWN_CALLS = 8;
/** The number of newest calls that are shown in a column each. */
const MAX_SPARKLINE_CALLS = 40;

export function renderCache(
  { calls, totals, money }: CacheStatus,
  nowMs: number,
  host: string,
): readonly string[] {
  if (calls.length === 0) return ["Prompt cache: no call has ended yet"];
  const shown = calls.slice(-MAX_SHOWN_CALLS);
  const sparklineCalls = calls.slice(-MAX_SPARKLINE_CALLS);
  const all = sumContextTokens(totals);
  return [
    `Prompt cache: ${renderPercent(totals.hitRate)} of ${formatCount(all)} input tokens were read from it`,
    `  ${renderSparkline(sparklineCalls.map((call) => call.hitRate))}  hit rate, last ${renderCount(sparklineCalls.length, "call")}`,
    "",
    `  ${renderRow(["when", "agent", "model", "input", "read", "write", "hit"])}`,
    ...shown.flatMap((call) => renderCallLines(call, nowMs)),
    `  ${renderRow(["all", "", renderCount(totals.calls, "call"), formatCount(totals.inputTokens), formatCount(totals.cacheReadTokens), formatCount(totals.cacheWriteTokens), renderPercent(totals.hitRate)])}`,
    ...renderBustTotals(totals),
    ...renderMoneyLines(money, host),
  ];
}

function renderCallLines(call: CallStatus, nowMs: number): readonly string[] {
  const { usage } = call;
  const model = call.model.slice(call.model.indexOf("/") + 1);
  const tokens = usage
    ? [
        formatCount(usage.inputTokens),
        formatCount(usage.cacheReadTokens),
        formatCount(usage.cacheWriteTokens),
      ]
    : ["not", "reported", "yet"];
  const cells = [
    formatAgo(call.sentAtMs, nowMs),
    call.agent,
    model,
    ...tokens,
    renderPercent(call.hitRate),
  ];
  return [
    `  ${renderRow(cells)}`,
    ...(call.newEpoch ? [`    + new epoch ${describeEpochCause(call.newEpoch)}`] : []),
    ...(call.bust ? renderBustLines(call.bust) : []),
    ...(call.gaveUp === null ? [] : wrap("    ~ ", call.gaveUp)),
  ];
}

function renderBustLines({ cause, confirmation }: BustStatus): readonly string[] {
  return wrap("    ! bust: ", `${cause} (${renderConfirmation(confirmation)})`);
}

export function renderConfirmation(confirmation: BustStatus["confirmation"]): string {
  switch (confirmation) {
    case "confirmed":
      return "the provider's figures confirm it";
    case "denied":
      return "yet the provider read all that it had stored";
    case "unknown":
      return "no figures of the provider to compare";
  }
}

function renderBustTotals({ busts, confirmedBusts, rewrites }: CacheTotals): readonly string[] {
  const lost = `  ${renderCount(busts, "cache bust")}, ${formatCount(confirmedBusts)} confirmed by the provider's figures`;
  const given = `  ${renderCount(rewrites, "rewrite")} of old history gave the cache up: see History`;
  return [...(busts > 0 ? [lost] : []), ...(rewrites > 0 ? [given] : [])];
}

function renderMoneyLines(money: MoneyStatus, host: string): readonly string[] {
  const line = renderMoneyLine(money, host);
  return line === null ? [] : wrap("  ", line);
}

const COLUMN_LAYOUT: readonly (readonly [number, "left" | "right"])[] = [
  [11, "left"],
  [8, "left"],
  [15, "left"],
  [8, "right"],
  [10, "right"],
  [8, "right"],
  [4, "right"],
];

function renderRow(cells: readonly string[]): string {
  const padded = COLUMN_LAYOUT.map(([width, side], index) => {
    const cell = cutText(cells[index] ?? "", width);
    return side === "left" ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join(" ").trimEnd();
}
