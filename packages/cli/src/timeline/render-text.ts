// Renders the timeline for a terminal.

import { describeRewrite } from "@session-runtime/opencode/features/history/rewrite-status";
import { formatHostName, renderMoneyLine } from "@session-runtime/opencode/status/money";
import { renderConfirmation } from "@session-runtime/opencode/status/render-cache";
import {
  describeEpochCause,
  formatCount,
  makeStringsVisible,
  renderCount,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import { typed } from "../invocation.ts";
import type { Style } from "../terminal/style.ts";
import type { Timeline, TimelineCall, TimelineEpoch, TimelineUpdate } from "./model.ts";
import { clock } from "./moment.ts";

const BAR = 28;

/** Renders a bar for each call's bill, with what happened at the call. */
export function renderTimeline(stored: Timeline, style: Style): string {
  const timeline = makeStringsVisible(stored);
  const { calls, totals } = timeline;
  if (calls.length === 0) return `${timeline.sessionId} has made no call yet.`;
  const largest = Math.max(1, ...calls.map(({ bill }) => bill?.total ?? 0));
  const lines = calls.flatMap((call, index) => {
    const isFirst = index === 0 || calls[index - 1]?.epochNumber !== call.epochNumber;
    const epoch = timeline.epochs.find(({ number }) => number === call.epochNumber);
    return [
      ...(isFirst && epoch ? ["", epochLine(epoch, style)] : []),
      callLine(call, largest, style),
      ...(call.newEpoch ? [style.accent("      + new epoch")] : []),
      ...timeline.updates
        .filter(({ callNumber }) => callNumber === call.number)
        .map((update) => updateLine(update, style)),
      ...timeline.rewrites
        .filter(({ callNumber }) => callNumber === call.number)
        .map((rewrite) => style.accent(`      ~ rewrite: ${describeRewrite(rewrite)}`)),
      ...timeline.beside
        .filter(({ callNumber }) => callNumber === call.number)
        .map(({ words }) => style.dim(`      . ${words}`)),
      ...(call.bust
        ? [
            style.warn(
              `      ! bust: ${call.bust.cause} (${renderConfirmation(call.bust.confirmation)})`,
            ),
          ]
        : []),
    ];
  });
  const paid = renderMoneyLine(timeline.money, formatHostName(timeline.harness));
  return [
    style.bold(`${timeline.sessionId}${timeline.title === null ? "" : `, ${timeline.title}`}`),
    `${renderCount(totals.calls, "call")}, a bill of ${formatCount(totals.bill)} tokens at the price of uncached input (${formatCount(totals.uncached)} without any cache); ${renderCount(totals.busts, "bust")}, ${renderCount(totals.newEpochs, "new epoch")}`,
    ...(paid === null ? [] : [paid]),
    "",
    style.dim(` call  sent      ${"bill (tokens)".padStart(BAR + 9)}`),
    ...lines,
    "",
    style.dim(`As a page with charts: ${typed("timeline --open")}`),
  ].join("\n");
}

function epochLine({ number, cause, baselineBytes, startedAtMs }: TimelineEpoch, style: Style) {
  return style.accent(
    `Epoch ${number}, ${clock(startedAtMs)}, ${describeEpochCause(cause)} (Baseline ${renderSize(baselineBytes)})`,
  );
}

function callLine({ number, sentAtMs, bill }: TimelineCall, largest: number, style: Style) {
  const width = bill ? Math.max(1, Math.round((bill.total / largest) * BAR)) : 0;
  const bar = "█".repeat(width).padEnd(BAR);
  const figure = bill ? formatCount(bill.total) : "not reported";
  return `${String(number).padStart(5)}  ${clock(sentAtMs)}  ${style.good(bar)} ${figure.padStart(8)}`;
}

function updateLine({ keys, bytes }: TimelineUpdate, style: Style): string {
  return style.accent(`      + update: ${keys.join(", ")} (${renderSize(bytes)})`);
}
