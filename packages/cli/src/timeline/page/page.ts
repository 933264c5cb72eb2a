// Renders the timeline as a page, for one session or all of a project.
// Folder: The timeline as an HTML page.

import { renderConfirmation } from "@session-runtime/opencode/status/render-cache";
import {
  formatCount,
  makeStringsVisible,
  makeVisible,
} from "@session-runtime/opencode/status/wording";
import { renderDocument } from "../../page/document.ts";
import { html, type Markup } from "../../page/markup.ts";
import type { Timeline, TimelineCall } from "../model.ts";
import { moment } from "../moment.ts";
import { commonHost, renderFigures, renderProject } from "./figures.ts";
import { renderStrip } from "./strip.ts";
import { renderTable } from "./table.ts";
import style from "./timeline.css" with { type: "text" };

/** Renders the timelines of sessions in `folder` as one HTML file that fetches nothing; `script` draws the charts. */
export function renderTimelinePage(
  stored: readonly [Timeline, ...Timeline[]],
  folder: string,
  script: string,
): string {
  const timelines = makeStringsVisible(stored);
  const [first] = timelines;
  const isOne = timelines.length === 1;
  return renderDocument({
    title: `Session Runtime: ${isOne ? (first.title ?? first.sessionId) : makeVisible(folder)}`,
    style,
    body: html`${[
      ...(isOne ? [] : [renderProject(timelines, makeVisible(folder))]),
      ...timelines.map((timeline, index) => sessionSection(timeline, index, isOne ? "h1" : "h2")),
      counting(commonHost(timelines)),
    ]}`,
    program: { data: { id: "timelines", value: timelines }, script },
  });
}

/** `index` makes the ids of one session's headings differ from those of the others. */
function sessionSection(timeline: Timeline, index: number, heading: "h1" | "h2"): Markup {
  const { sessionId, title, directory, calls, totals, atMs } = timeline;
  const hidden = totals.calls - calls.length;
  const shown =
    hidden === 0
      ? ""
      : ` Chart, time line and table show the newest ${formatCount(calls.length)} calls; the figures above them are of all ${formatCount(totals.calls)}.`;
  // If there is no title, the id is the heading.
  const below = [title === null ? null : sessionId, directory].filter((text) => text !== null);
  const sub = heading === "h1" ? "h2" : "h3";
  return html`<section class="session">
<${heading}>${title ?? sessionId}</${heading}>
<p class="dim">${below.join(", ")}. Written ${moment(atMs)}.${shown}</p>
${renderFigures(timeline)}
<${sub}>Each call's bill</${sub}>
<p class="key"><span class="read">read from the cache (0.1)</span><span class="write">written to it (1 or 1.25)</span><span class="plain">neither (1)</span><span class="bust">cache bust</span></p>
<figure><figcaption>In tokens, at the price of an uncached input token; a dashed line begins a new epoch</figcaption>
<div class="chart"><canvas role="img" aria-label="The bill of each call: the table below has the figures"></canvas></div>
</figure>
<${sub}>Epochs, updates, rewrites, busts, jobs and memories over time</${sub}>
<figure>${renderStrip(timeline, "wide")}${renderStrip(timeline, "narrow")}</figure>
${bustList(calls)}
<${sub} id="calls-title-${index}">Call by call</${sub}>
<div class="scroll" tabindex="0" role="region" aria-labelledby="calls-title-${index}">${renderTable(timeline)}</div>
</section>`;
}

/** Explains how the figures are counted. @param host the host whose prices these are */
function counting(host: string): Markup {
  return html`<h2>How this is counted</h2>
<p class="dim">The tokens are the provider's own figures. A token that is read from the cache costs 0.1, one
that is written to it 1.25 where the provider charges for that (Anthropic) and 1 elsewhere, any other 1. The
model's answers are left out. A bust is a call that could not read all that was sent before; it is confirmed
when the provider's figures say so too. A call that opens a new epoch is not one. A rewrite dropped or folded old history:
its cost is what its call paid more for it, its saving what the calls since would have paid more without it. Dollars are by ${host}'s own
prices. “Saved” is roughly what ${host} alone would have cost on top: it puts each change into its system
prompt, and the cache has to be written again from there. The cost of the updates is deducted.</p>`;
}

function bustList(calls: readonly TimelineCall[]): Markup {
  const items = calls.flatMap(({ number, bust }) =>
    bust
      ? [
          html`<li>Call ${formatCount(number)}: ${bust.cause} <span class="dim">(${renderConfirmation(bust.confirmation)})</span></li>`,
        ]
      : [],
  );
  if (items.length === 0) return html`<p class="dim">No cache bust.</p>`;
  return html`<ul class="busts">${items}</ul>`;
}
