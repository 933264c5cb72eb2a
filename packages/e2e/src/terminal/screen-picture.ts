// A terminal's screen as an SVG picture, for the documents.
import { createColorPalette, type ParseToken, parseAnsiSequences } from "ansi-sequence-parser";
import { escaped } from "../../../cli/src/page/markup.ts";

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const MARGIN = 14;
/** Where a line's text stands in it. */
const BASELINE = 13.5;
const BACKGROUND = "#0b0d10";
const FOREGROUND = "#e6e8eb";

const palette = createColorPalette();

/** A stretch of cells that look alike. */
interface Run {
  readonly column: number;
  readonly text: string;
  readonly foreground: string;
  readonly background: string | null;
  readonly weight: "bold" | "normal";
  readonly isDim: boolean;
}

/** `screen` holds the escape sequences of its colours, as tmux captures it. */
export function screenPicture(screen: string, title: string): string {
  const lines = screen.trimEnd().split("\n").map(splitRuns);
  const columns = Math.max(0, ...lines.flat().map(({ column, text }) => column + width(text)));
  const size = { x: columns * CELL_WIDTH + 2 * MARGIN, y: lines.length * LINE_HEIGHT + 2 * MARGIN };
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.x.toFixed(1)} ${size.y}" width="${size.x.toFixed(1)}" height="${size.y}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }</style>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
${lines.flatMap((runs, row) => runs.map((run) => drawn(run, row))).join("\n")}
</svg>
`;
}

function drawn(run: Run, row: number): string {
  const x = MARGIN + run.column * CELL_WIDTH;
  const y = MARGIN + row * LINE_HEIGHT;
  const wide = (width(run.text) * CELL_WIDTH).toFixed(1);
  const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${wide}" height="${LINE_HEIGHT}" fill="${run.background}"/>`;
  const look = `${run.weight === "bold" ? ' font-weight="bold"' : ""}${run.isDim ? ' opacity="0.6"' : ""}`;
  // A reader's font may be wider than the cells: each run is fitted into its own.
  const text = `<text x="${x.toFixed(1)}" y="${y + BASELINE}" fill="${run.foreground}"${look} textLength="${wide}" lengthAdjust="spacingAndGlyphs">${escaped(run.text)}</text>`;
  return `${run.background === null ? "" : box}${run.text.trim() === "" ? "" : text}`;
}

function splitRuns(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const token of parseAnsiSequences(line)) {
    if (token.value !== "") runs.push({ column, text: token.value, ...tokenStyle(token) });
    column += width(token.value);
  }
  return runs;
}

function tokenStyle({ foreground, background, decorations }: ParseToken) {
  const fore = foreground === null ? FOREGROUND : palette.value(foreground);
  const back = background === null ? null : palette.value(background);
  const isTurned = decorations.has("reverse");
  return {
    foreground: isTurned ? (back ?? BACKGROUND) : fore,
    background: isTurned ? fore : back,
    weight: decorations.has("bold") ? ("bold" as const) : ("normal" as const),
    isDim: decorations.has("dim"),
  };
}

function width(text: string): number {
  return Bun.stringWidth(text);
}
