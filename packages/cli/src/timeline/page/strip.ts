// Draws epochs, calls, updates, rewrites, busts and other events on a time axis, as SVG.
import { describeRewrite } from "@session-runtime/opencode/features/history/rewrite-status";
import {
  describeEpochCause,
  formatCount,
  renderCount,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import { html, type Markup } from "../../page/markup.ts";
import type { Timeline, TimelineEpoch } from "../model.ts";
import { moment } from "../moment.ts";

/**
 * Sets the drawings' sizes, in their own units. A narrow screen has its own drawing, because text would shrink with
 * it.
 */
const SHAPES = {
  wide: { width: 1000, ticks: 5 },
  narrow: { width: 330, ticks: 2 },
} as const;
type Shape = keyof typeof SHAPES;
const LEFT = 84;
const RIGHT = 16;
const ROWS = {
  epochs: 14,
  calls: 52,
  updates: 84,
  rewrites: 116,
  busts: 148,
  beside: 180,
} as const;
const ROW = 24;
const HEIGHT = 236;

/** Draws a session's events on a time axis, as SVG, which can be printed and read aloud. */
export function renderStrip(timeline: Timeline, shape: Shape): Markup {
  const { calls, epochs, updates, rewrites, beside } = timeline;
  const moments = [...calls.map(({ sentAtMs }) => sentAtMs), ...updates.map(({ atMs }) => atMs)];
  if (moments.length === 0) return html`<p class="dim">No call yet.</p>`;
  const scale = createScale(Math.min(...moments), Math.max(...moments), SHAPES[shape]);
  const busts = calls.filter(({ bust }) => bust !== null);
  const label = `${renderCount(epochs.length, "epoch")}, ${renderCount(updates.length, "update")}, ${renderCount(rewrites.length, "rewrite")}, ${renderCount(busts.length, "bust")} and ${formatCount(beside.length)} jobs or memories over time: the table below names them`;
  return html`<svg class="strip ${shape}" viewBox="0 0 ${scale.width} ${HEIGHT}" role="img" aria-label="${label}">
${Object.entries(ROWS).map(
  ([name, y]) => html`<text class="row" x="0" y="${y + ROW / 2 + 4}">${name}</text>`,
)}
${epochBars(epochs, scale)}
${calls.map(({ sentAtMs }) => html`<line class="call" x1="${scale.x(sentAtMs)}" x2="${scale.x(sentAtMs)}" y1="${ROWS.calls + 4}" y2="${ROWS.calls + ROW - 4}"/>`)}
${updates.map(({ atMs, keys, bytes }) => {
  const said = `${moment(atMs)}: update of ${keys.join(", ")}, ${renderSize(bytes)}`;
  return diamond(scale.x(atMs), ROWS.updates, said);
})}
${rewrites.map((rewrite) => {
  const said = `${moment(rewrite.atMs)}: ${describeRewrite(rewrite)}`;
  return square(scale.x(rewrite.atMs), ROWS.rewrites, said);
})}
${busts.map(({ sentAtMs, number, bust }) => {
  const said = `${moment(sentAtMs)}: call ${number}, ${bust?.cause ?? ""}`;
  return triangle(scale.x(sentAtMs), ROWS.busts, said);
})}
${beside.map(({ atMs, words }) => dot(scale.x(atMs), ROWS.beside, `${moment(atMs)}: ${words}`))}
${axis(scale)}
</svg>`;
}

interface Scale {
  readonly width: number;
  readonly ticks: number;
  readonly fromMs: number;
  readonly toMs: number;
  x(ms: number): number;
}

function createScale(
  fromMs: number,
  lastMs: number,
  { width, ticks }: { readonly width: number; readonly ticks: number },
): Scale {
  const toMs = Math.max(lastMs, fromMs + 1);
  const plotWidth = width - LEFT - RIGHT;
  const within = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  return {
    width,
    ticks,
    fromMs,
    toMs,
    x: (ms) => Math.round((LEFT + within(ms) * plotWidth) * 10) / 10,
  };
}

function epochBars(epochs: readonly TimelineEpoch[], scale: Scale): readonly Markup[] {
  return epochs.map((epoch, index) => {
    const from = scale.x(epoch.startedAtMs);
    const to = scale.x(epochs[index + 1]?.startedAtMs ?? scale.toMs);
    const width = Math.max(3, to - from - 2);
    const said = `Epoch ${epoch.number}, ${moment(epoch.startedAtMs)}, ${describeEpochCause(epoch.cause)}; Baseline ${renderSize(epoch.baselineBytes)}`;
    const name =
      width > 30
        ? html`<text class="epoch-name" x="${from + 7}" y="${ROWS.epochs + ROW / 2 + 4}">${epoch.number}</text>`
        : "";
    return html`<rect class="epoch" x="${from}" y="${ROWS.epochs}" width="${width}" height="${ROW}" rx="4"><title>${said}</title></rect>${name}`;
  });
}

function diamond(x: number, top: number, said: string): Markup {
  const y = top + ROW / 2;
  return html`<path class="update" d="M${x} ${y - 7}l6 7l-6 7l-6 -7z"><title>${said}</title></path>`;
}

function square(x: number, top: number, said: string): Markup {
  const y = top + ROW / 2;
  return html`<path class="rewrite" d="M${x - 6} ${y - 6}h12v12h-12z"><title>${said}</title></path>`;
}

function triangle(x: number, top: number, said: string): Markup {
  const y = top + ROW / 2;
  return html`<path class="bust" d="M${x} ${y + 6}l-7 -12h14z"><title>${said}</title></path>`;
}

function dot(x: number, top: number, said: string): Markup {
  const y = top + ROW / 2;
  return html`<circle class="beside" cx="${x}" cy="${y}" r="5"><title>${said}</title></circle>`;
}

function axis(scale: Scale): Markup {
  const y = HEIGHT - 26;
  const isShort = scale.toMs - scale.fromMs < 60 * 60_000;
  const ticks = Array.from({ length: scale.ticks }, (_, index) => {
    const ms = scale.fromMs + ((scale.toMs - scale.fromMs) * index) / (scale.ticks - 1);
    const x = scale.x(ms);
    const side = index === 0 ? "start" : index === scale.ticks - 1 ? "end" : "middle";
    const text = isShort ? moment(ms).slice(11) : moment(ms).slice(5, 16);
    return html`<line class="axis" x1="${x}" x2="${x}" y1="${y}" y2="${y + 5}"/><text class="tick" x="${x}" y="${y + 20}" text-anchor="${side}">${text}</text>`;
  });
  return html`<line class="axis" x1="${LEFT}" x2="${scale.width - RIGHT}" y1="${y}" y2="${y}"/>${ticks}`;
}
