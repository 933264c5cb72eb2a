// The demo's bill as a chart for the README: two columns per step, with the figures as text.
import { escaped } from "../../../cli/src/page/markup.ts";
import { PICTURE_STYLE } from "./pictures/style.ts";
import { computeSavedShare, type DemoReport } from "./report.ts";
import { percent, tokens } from "./show.ts";

const WIDTH = 860;
const LEFT = 16;
const TOP = 92;
const PLOT_HEIGHT = 190;
const BASE = TOP + PLOT_HEIGHT;
const HEIGHT = BASE + 74;
const LINE_HEIGHT = 12;
/** Longest line of a label, in characters. */
const LABEL_WIDTH = 11;

/** A step that was billed, with what happened before it or marks it. */
interface Group {
  readonly name: string;
  readonly events: readonly string[];
  readonly without: number;
  readonly with: number;
}

/** The chart as an SVG file that follows the reader's light or dark scheme. */
export function renderChart(report: DemoReport): string {
  const groups = groupSteps(report);
  const maximum = Math.max(...groups.flatMap((group) => [group.without, group.with]));
  const step = (WIDTH - 2 * LEFT) / groups.length;
  const columns = groups.map((group, index) =>
    groupColumns(group, { x: LEFT + index * step, step, maximum }),
  );
  const { without, with: with_ } = report;
  const saved = percent(computeSavedShare(report));
  const totals = [tokens(without.totals.bill), tokens(with_.totals.bill)];
  const title = `Input billed in one day's work: ${totals[0]} with OpenCode alone, ${totals[1]} with Session Runtime, ${saved} less`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
${PICTURE_STYLE}
<text class="head" x="${LEFT}" y="26">One day's work, billed turn by turn: ${escaped(saved)} less</text>
<rect class="without" x="${LEFT}" y="41" width="12" height="12"/>
<text x="${LEFT + 18}" y="51">OpenCode alone: ${totals[0]}</text>
<rect class="with" x="${LEFT + 210}" y="41" width="12" height="12"/>
<text x="${LEFT + 228}" y="51">with Session Runtime: ${totals[1]}</text>
<text x="${WIDTH - LEFT}" y="51" text-anchor="end">in uncached input tokens</text>
${columns.join("\n")}
<line x1="${LEFT}" y1="${BASE}" x2="${WIDTH - LEFT}" y2="${BASE}"/>
</svg>
`;
}

/** The figures beside the chart, as a sentence of the README. */
export function describeChart(report: DemoReport): string {
  const { without, with: with_ } = report;
  return `In this scripted day on the real OpenCode (${report.about.replace(/^.*?: /, "")}), the provider bills ${tokens(without.totals.bill)} tokens of input without the plugin and ${tokens(with_.totals.bill)} with it: **${percent(computeSavedShare(report))} less**.`;
}

function groupSteps(report: DemoReport): readonly Group[] {
  const groups: Group[] = [];
  let events: string[] = [];
  for (const [index, { label }] of report.steps.entries()) {
    const without = report.without.steps[index]?.bill ?? 0;
    const with_ = report.with.steps[index]?.bill ?? 0;
    if (without + with_ === 0) {
      events.push(label);
      continue;
    }
    const mark = /\(([^)]+)\)$/.exec(label)?.[1];
    const name = label.replace(/:.*/, "");
    groups.push({ name, events: mark ? [...events, mark] : events, without, with: with_ });
    events = [];
  }
  return groups;
}

interface Place {
  readonly x: number;
  readonly step: number;
  readonly maximum: number;
}

function groupColumns(group: Group, { x, step, maximum }: Place): string {
  const width = step * 0.42;
  const middle = x + step / 2;
  const column = (name: "without" | "with", at: number) => {
    const height = (group[name] / maximum) * PLOT_HEIGHT;
    const top = BASE - height;
    return `<rect class="${name}" x="${at.toFixed(1)}" y="${top.toFixed(1)}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}"/>
<text class="figure" x="${(at + width / 2 - 1).toFixed(1)}" y="${(top - 4).toFixed(1)}" text-anchor="middle">${thousands(group[name])}</text>`;
  };
  const lines = group.events.flatMap((event) => wrapped(event));
  const below = [
    `<text x="${middle.toFixed(1)}" y="${BASE + 16}" text-anchor="middle">${escaped(group.name)}</text>`,
    ...lines.map(
      (line, index) =>
        `<text class="event" x="${middle.toFixed(1)}" y="${BASE + 30 + index * LINE_HEIGHT}" text-anchor="middle">${escaped(line)}</text>`,
    ),
  ];
  return [column("without", middle - width), column("with", middle), ...below].join("\n");
}

/** As lines that fit below a group's columns. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= LABEL_WIDTH) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

function thousands(count: number): string {
  return `${(count / 1_000).toFixed(1)}k`;
}
