// Each recorded session's bill against OpenCode's alone, as a picture for the documents.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HostedFigures, billShare as hostShareOf } from "./hosted.ts";
import { measureSpread, type SimulatedFigures, simulatedBillShare } from "./simulated.ts";

const FILE = join(import.meta.dir, "../../../../../docs/pictures/real.svg");

const WIDTH = 860;
const LEFT = 52;
const RIGHT = 16;
const TOP = 84;
const PLOT_HEIGHT = 220;
const BASE = TOP + PLOT_HEIGHT;
const HEIGHT = BASE + 40;
const GAP = 4;

export function writePicture(
  simulated: readonly SimulatedFigures[],
  onHost: readonly HostedFigures[],
): void {
  writeFileSync(FILE, renderPicture(simulated, onHost));
}

/** An SVG file that follows the reader's light or dark scheme: a bar a session, the longest first. */
export function renderPicture(
  simulated: readonly SimulatedFigures[],
  onHost: readonly HostedFigures[],
): string {
  const sorted = simulated.toSorted((left, right) => right.stock.bill - left.stock.bill);
  const { share, sessions } = measureSpread(simulated);
  const highest = Math.max(1, share.worst);
  const y = (value: number) => BASE - (value / highest) * PLOT_HEIGHT;
  const slot = (WIDTH - LEFT - RIGHT) / sorted.length;
  const hosted = new Map(onHost.map((one) => [one.recorded.session, hostShareOf(one)]));
  const bars = sorted.map((one, at) => {
    const [x, top] = [LEFT + at * slot + GAP / 2, y(simulatedBillShare(one))];
    const least = y(one.bound / one.stock.bill);
    const onHostAt = hosted.get(one.recorded.session);
    return [
      `<rect class="with" x="${x.toFixed(1)}" y="${top.toFixed(1)}" width="${(slot - GAP).toFixed(1)}" height="${(BASE - top).toFixed(1)}"/>`,
      `<line class="least" x1="${x.toFixed(1)}" x2="${(x + slot - GAP).toFixed(1)}" y1="${least.toFixed(1)}" y2="${least.toFixed(1)}"/>`,
      ...(onHostAt === undefined
        ? []
        : [
            `<circle cx="${(x + (slot - GAP) / 2).toFixed(1)}" cy="${y(onHostAt).toFixed(1)}" r="3.5"/>`,
          ]),
    ].join("");
  });
  const title = `${sessions} recorded sessions of real models: the bill for input with Session Runtime is ${percent(share.sum)} of that of OpenCode alone, ${percent(share.worst)} in the worst session`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #3d444d; }
.head { font-size: 16px; font-weight: 600; fill: #1f2328; }
.with { fill: #2f7d5b; }
.least { stroke: #1f2328; stroke-width: 1.6; }
circle { fill: #c8563c; }
.grid { stroke: #9aa4ae; stroke-width: 0.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #b8c0c8; }
  .head { fill: #f0f3f6; }
  .with { fill: #53b487; }
  .least { stroke: #f0f3f6; }
  circle { fill: #e2745a; }
  .grid { stroke: #5b656f; }
}
</style>
<text class="head" x="${LEFT}" y="24">The bill with Session Runtime, against OpenCode alone</text>
<rect class="with" x="${LEFT}" y="40" width="14" height="10"/><text x="${LEFT + 20}" y="49">${sessions} recorded sessions of real models, simulated; the largest bill first</text>
<circle cx="${LEFT + 7}" cy="64" r="3.5"/><text x="${LEFT + 20}" y="68">on the real OpenCode</text>
<line class="least" x1="${LEFT + 150}" x2="${LEFT + 164}" y1="64" y2="64"/><text x="${LEFT + 170}" y="68">the least there is, for who knows all uses ahead</text>
${grid(y, highest)}
${bars.join("\n")}
</svg>
`;
}

function grid(y: (value: number) => number, highest: number): string {
  const lines: string[] = [];
  for (let value = 0; value <= highest; value += 0.2) {
    const at = y(value).toFixed(1);
    lines.push(
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${Math.round(100 * value)} %</text>`,
    );
  }
  return lines.join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
