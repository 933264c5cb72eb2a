// Draws two bars for each session: what was paid, and what it would have cost with the plugin, with its range.
import { formatCount } from "@session-runtime/opencode/status/wording";
import { html, type Markup, NO_MARKUP } from "../../page/markup.ts";
import type { SessionEstimate } from "../session-estimate.ts";
import { lessThan, tokensBetween } from "../wording.ts";

/** Limits the picture to the sessions with the largest bills; the table has all. */
const MAX_SHOWN = 40;

/** Draws with boxes instead of SVG, so that it fits every width and its words stay readable. */
export function renderPicture(sessions: readonly SessionEstimate[]): Markup {
  const shown = sessions
    .toSorted((left, right) => right.paidTokens - left.paidTokens)
    .slice(0, MAX_SHOWN);
  const largest = Math.max(
    1,
    ...shown.map(({ paidTokens, withPluginTokens }) => Math.max(paidTokens, withPluginTokens.most)),
  );
  const width = (tokens: number) => `${((100 * tokens) / largest).toFixed(2)}%`;
  const rows = shown.map((one) => {
    const { paidTokens, withPluginTokens: ours } = one;
    const words = `${formatCount(paidTokens)} paid, ${formatCount(ours.likely)} with the plugin (${tokensBetween(ours)})`;
    return html`<li><p>${one.title} <b>${lessThan(paidTokens, ours.likely)}</b></p>
<div role="img" aria-label="${words}" title="${words}">
<span class="bar paid" style="width:${width(paidTokens)}"></span>
<span class="bar ours" style="width:${width(ours.likely)}"></span>
<span class="range" style="left:${width(ours.least)};width:${width(ours.most - ours.least)}"></span>
</div></li>`;
  });
  const rest = sessions.length - shown.length;
  const more =
    rest > 0
      ? html`<p class="dim">The ${formatCount(MAX_SHOWN)} largest bills; the table has all.</p>`
      : NO_MARKUP;
  return html`<ol class="bars">\n${rows}\n</ol>${more}`;
}
