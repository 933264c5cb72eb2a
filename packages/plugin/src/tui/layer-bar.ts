// The context by layers as a bar with a legend.
import { LAYER_NAMES, type LayerShare } from "../status/layers.ts";
import { type Line, measureLineWidth, type Segment, segment, type Tone } from "./line.ts";

interface LayerStyle {
  readonly tone: Tone;
  /** A character that is distinct from the others even without colours. */
  readonly glyph: string;
}

const LAYER_STYLES: Readonly<Record<LayerShare["layer"], LayerStyle>> = {
  tools: { tone: "tools", glyph: "█" },
  baseline: { tone: "baseline", glyph: "▓" },
  history: { tone: "history", glyph: "▚" },
  updates: { tone: "updates", glyph: "▒" },
  conversation: { tone: "conversation", glyph: "░" },
  rest: { tone: "conversation", glyph: "░" },
};

/** Draws a row of `width` columns: each layer with any share has at least one. */
export function renderLayerBar(layers: readonly LayerShare[], width: number): Line {
  const columns = distributeColumns(layers, width);
  return layers.flatMap(({ layer }, index): readonly Segment[] => {
    const count = columns[index] ?? 0;
    return count === 0
      ? []
      : [segment(LAYER_STYLES[layer].tone, LAYER_STYLES[layer].glyph.repeat(count))];
  });
}

/** The columns of the legend's left half, which fit the longest name and a count. */
const LEGEND_LEFT_COLUMNS = 20;

/** Explains the bar's parts, two to a row. */
export function renderLayerLegend(layers: readonly LayerShare[]): readonly Line[] {
  const entries = layers.filter(({ tokens }) => tokens > 0).map(renderLegendEntry);
  const rows: Line[] = [];
  for (let index = 0; index < entries.length; index += 2) {
    const [left = [], right] = [entries[index], entries[index + 1]];
    const gap = " ".repeat(Math.max(1, LEGEND_LEFT_COLUMNS - measureLineWidth(left)));
    rows.push(right ? [...left, segment("text", gap), ...right] : left);
  }
  return rows;
}

function renderLegendEntry({ layer, tokens }: LayerShare): Line {
  const { glyph, tone } = LAYER_STYLES[layer];
  return [
    segment(tone, glyph),
    segment("muted", ` ${formatLayerName(layer)} `),
    segment("text", formatShortCount(tokens)),
  ];
}

/** Names a layer for the panel, which leaves the terms of the mechanism to the reports. */
function formatLayerName(layer: LayerShare["layer"]): string {
  return layer === "baseline" ? "system" : LAYER_NAMES[layer];
}

export function sumTokens(layers: readonly LayerShare[]): number {
  return layers.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Formats a short count: `950`, `4.1k`, `12k`, `1.2M`. */
export function formatShortCount(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/**
 * Distributes whole columns in proportion, adding up to `width`; the largest layer takes what rounding
 * leaves.
 */
function distributeColumns(layers: readonly LayerShare[], width: number): readonly number[] {
  const total = sumTokens(layers);
  if (total === 0) return layers.map(() => 0);
  const columns = layers.map(({ tokens }) =>
    tokens === 0 ? 0 : Math.max(1, Math.round((tokens / total) * width)),
  );
  const largest = columns.indexOf(Math.max(...columns));
  const others = columns.reduce((sum, count, index) => (index === largest ? sum : sum + count), 0);
  return columns.map((count, index) => (index === largest ? Math.max(0, width - others) : count));
}
