// Renders the page's table: every figure of the chart, call by call.
import { describeRewrite } from "@session-runtime/opencode/features/history/rewrite-status";
import { renderConfirmation } from "@session-runtime/opencode/status/render-cache";
import {
  describeEpochCause,
  formatCount,
  renderPercent,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import { html, type Markup } from "../../page/markup.ts";
import type { Timeline, TimelineCall } from "../model.ts";
import { moment } from "../moment.ts";

const BREAK = html`<br>`;

/** Lists the columns: words are aligned left, figures right. */
const COLUMNS = [
  ["Call", "left"],
  ["Sent", "left"],
  ["Epoch", "right"],
  ["Bill, tokens", "right"],
  ["Read", "right"],
  ["Written", "right"],
  ["Neither", "right"],
  ["Hit rate", "right"],
  ["What happened", "left"],
  ["Agent, model", "left"],
] as const;

/** Renders the table. On a narrow screen, which has no head, each figure is beside the name of its column. */
export function renderTable(timeline: Timeline): Markup {
  const rows = timeline.calls.map((call, index) => {
    const { usage, bill } = call;
    const cells = [
      moment(call.sentAtMs),
      call.epochNumber === null ? "–" : formatCount(call.epochNumber),
      bill ? formatCount(bill.total) : "–",
      usage ? formatCount(usage.cacheReadTokens) : "–",
      usage ? formatCount(usage.cacheWriteTokens) : "–",
      usage ? formatCount(usage.inputTokens) : "–",
      renderPercent(call.hitRate),
    ].map((cell, column) => {
      const [name = "", side = "left"] = COLUMNS[column + 1] ?? [];
      return html`<td class="${side}" data-name="${name}">${cell}</td>`;
    });
    const what = html`<td class="left events">${describeEvents(timeline, index).map(
      (event, at) => html`${at === 0 ? "" : BREAK}${event}`,
    )}</td>`;
    const who = html`<td class="left who">${call.agent}, <span>${call.model}</span></td>`;
    const kind = call.bust ? html` class="bust"` : "";
    return html`<tr${kind}><th scope="row">${formatCount(call.number)}</th>${cells}${what}${who}</tr>`;
  });
  const heads = COLUMNS.map(([name, side]) => html`<th scope="col" class="${side}">${name}</th>`);
  return html`<table>
<caption class="dim">The chart's figures, in tokens; the bill counts them at the price of uncached input</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;
}

function describeEvents(
  { calls, updates, rewrites, beside, epochs }: Timeline,
  index: number,
): readonly string[] {
  const call = calls[index];
  if (call === undefined) return [];
  const isFirst = calls[index - 1]?.epochNumber !== call.epochNumber;
  const epoch = isFirst ? epochs.find(({ number }) => number === call.epochNumber) : undefined;
  const announced = updates.filter(({ callNumber }) => callNumber === call.number);
  return [
    ...(epoch ? [epochEvent(call, `${epoch.number} ${describeEpochCause(epoch.cause)}`)] : []),
    ...announced.map(({ keys, bytes }) => `Update of ${keys.join(", ")} (${renderSize(bytes)})`),
    ...rewrites
      .filter(({ callNumber }) => callNumber === call.number)
      .map((rewrite) => `Rewrite: ${describeRewrite(rewrite)}`),
    ...beside
      .filter(({ callNumber }) => callNumber === call.number)
      .map(({ words }) => `After it: ${words}`),
    ...(call.bust
      ? [`Bust: ${call.bust.cause} (${renderConfirmation(call.bust.confirmation)})`]
      : []),
  ];
}

/** Names a call's epoch. The session's first epoch, and one that an undo brings back, are not new. */
function epochEvent({ newEpoch }: TimelineCall, which: string): string {
  return newEpoch === null ? `Epoch ${which}` : `New epoch: ${which}`;
}
