// The timeline as a page: figures, chart, busts, table.
// Folder: The timeline as an HTML page.

import { dollars, type MoneyStatus } from "../../../../plugin/src/status/money.ts";
import { confirmationText } from "../../../../plugin/src/status/render-cache.ts";
import { visibleIn } from "../../../../plugin/src/status/visible.ts";
import {
  count,
  counted,
  epochCause,
  percent,
  size,
} from "../../../../plugin/src/status/wording.ts";
import { renderDocument } from "../../page/document.ts";
import { html } from "../../page/escape.ts";
import type { Timeline, TimelineCall } from "../model.ts";
import { moment } from "../moment.ts";
import { renderStrip } from "./strip.ts";
import style from "./timeline.css" with { type: "text" };

/** The time line as one file of HTML that fetches nothing; `script` draws its chart. */
export function renderTimelinePage(stored: Timeline, script: string): string {
  const timeline = visibleIn(stored);
  const { sessionId } = timeline;
  return renderDocument({
    title: `Session Runtime: ${timeline.title ?? sessionId}`,
    style,
    body: bodyOf(timeline),
    data: { id: "timeline", value: timeline },
    script,
  });
}

function bodyOf(timeline: Timeline): string {
  const { sessionId, title, directory, calls, totals, atMs } = timeline;
  const hidden = totals.calls - calls.length;
  const shown =
    hidden === 0
      ? ""
      : ` Chart, time line and table show the newest ${count(calls.length)} calls; the figures above them are of all ${count(totals.calls)}.`;
  return `<h1>${html(title ?? sessionId)}</h1>
<p class="dim">${html(sessionId)}${directory === null ? "" : `, ${html(directory)}`}. Written ${moment(atMs)}.${shown}</p>
${figures(timeline)}
<h2 id="bill-title">Each call's bill</h2>
<p class="key"><span class="read">read from the cache (0.1)</span><span class="write">written to it (1 or 1.25)</span><span class="plain">neither (1)</span><span class="bust">cache bust</span></p>
<figure><figcaption>In equivalents of an uncached input token; a dashed line begins an epoch</figcaption>
<div class="chart"><canvas id="bills" role="img" aria-label="The bill of each call: the table below has the figures"></canvas></div>
</figure>
<h2>Epochs, updates and busts over time</h2>
<figure class="scroll">${renderStrip(timeline)}</figure>
${bustList(calls)}
<h2 id="calls-title">Call by call</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="calls-title">${table(timeline)}</div>
<h2>How this is counted</h2>
<p class="dim">The tokens are the provider's own figures. A token that is read from the cache costs 0.1, one
that is written to it 1.25 where the provider charges for that (Anthropic) and 1 elsewhere, any other 1. The
model's answers are left out. A bust is a call that could not read all that was sent before; it is confirmed
when the provider's figures say so too. A call that opens an epoch is none. Dollars are the host's own price
record; saved is what each call that announced a change would have cost more, had its cache been lost as OpenCode
alone would have lost it by rendering the change into its system prompt.</p>`;
}

function moneyCells({ paidUsd, savedUsd, sparedCalls, sparedTokens }: MoneyStatus) {
  const lost = `${count(sparedTokens)} cached tokens at ${counted(sparedCalls, "call")}`;
  const cells: readonly (readonly [string, string, string])[] =
    paidUsd === null || savedUsd === null
      ? []
      : [
          [
            "Paid",
            dollars(paidUsd),
            `about ${dollars(savedUsd)} saved: OpenCode alone would have lost ${lost}`,
          ],
        ];
  return cells;
}

function figures({ totals, money }: Timeline): string {
  const saved = totals.uncached === 0 ? null : 1 - totals.bill / totals.uncached;
  const cells: readonly (readonly [string, string, string])[] = [
    [
      "Bill",
      count(totals.bill),
      `uncached input tokens’ worth; without any cache ${count(totals.uncached)}`,
    ],
    ...moneyCells(money),
    ["Saved", percent(saved), "of the bill for input tokens"],
    [
      "Read from the cache",
      percent(totals.hitRate),
      `of the input of ${count(totals.calls)} calls`,
    ],
    [
      "Cache busts",
      count(totals.busts),
      `${count(totals.confirmedBusts)} confirmed by the provider`,
    ],
  ];
  const inner = cells.map(
    ([name, value, note]) => `<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  );
  return `<dl class="figures">${inner.join("\n")}</dl>`;
}

function bustList(calls: readonly TimelineCall[]): string {
  const items = calls.flatMap(({ number, bust }) =>
    bust
      ? [
          `<li>Call ${count(number)}: ${html(bust.cause)} <span class="dim">(${confirmationText(bust.confirmation)})</span></li>`,
        ]
      : [],
  );
  if (items.length === 0) return '<p class="dim">No cache bust.</p>';
  return `<ul class="busts">${items.join("\n")}</ul>`;
}

/** What stands left is words. */
const COLUMNS = [
  ["Call", "left"],
  ["Sent", "left"],
  ["Epoch", "right"],
  ["Bill", "right"],
  ["Read", "right"],
  ["Written", "right"],
  ["Neither", "right"],
  ["Hit rate", "right"],
  ["What happened", "left"],
  ["Agent, model", "left"],
] as const;

function table({ calls, updates, epochs }: Timeline): string {
  const rows = calls.map((call, index) => {
    const isFirst = index === 0 || calls[index - 1]?.epochNumber !== call.epochNumber;
    const epoch = isFirst ? epochs.find(({ number }) => number === call.epochNumber) : undefined;
    const told = updates.filter(({ callNumber }) => callNumber === call.number);
    const events = [
      ...(epoch ? [`Epoch ${epoch.number} ${epochCause(epoch.cause)}`] : []),
      ...told.map(({ keys, bytes }) => `Update of ${keys.join(", ")} (${size(bytes)})`),
      ...(call.bust
        ? [`Bust: ${call.bust.cause} (${confirmationText(call.bust.confirmation)})`]
        : []),
    ];
    const { usage, bill } = call;
    const cells = [
      moment(call.sentAtMs),
      call.epochNumber === null ? "–" : count(call.epochNumber),
      bill ? count(bill.total) : "–",
      usage ? count(usage.cacheReadTokens) : "–",
      usage ? count(usage.cacheWriteTokens) : "–",
      usage ? count(usage.inputTokens) : "–",
      percent(call.hitRate),
    ].map((cell, column) => `<td${column === 0 ? ' class="left"' : ""}>${cell}</td>`);
    const what = `<td class="left events">${events.map(html).join("<br>")}</td>`;
    const who = `<td class="left">${html(`${call.agent}, ${call.model}`)}</td>`;
    const kind = call.bust ? ' class="bust"' : "";
    return `<tr${kind}><th scope="row">${count(call.number)}</th>${cells.join("")}${what}${who}</tr>`;
  });
  const heads = COLUMNS.map(
    ([name, side]) => `<th scope="col"${side === "left" ? ' class="left"' : ""}>${name}</th>`,
  );
  return `<table>
<caption class="dim">The figures of the chart, in tokens; the bill in equivalents of an uncached one</caption>
<thead><tr>${heads.join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>`;
}
