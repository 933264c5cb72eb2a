// A session's context over time, with and without the plugin, as a picture for the documents.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { escaped } from "../../../../cli/src/page/markup.ts";
import { tokens } from "../../demo/show.ts";
import type { PlayedSession } from "./play-session.ts";
import { OUR_SIDE, type PlayedSide, STOCK_SIDE } from "./sides.ts";
import { countRight, tallySessions } from "./tally.ts";

const FILE = join(import.meta.dir, "../../../../../docs/pictures/history.svg");

const WIDTH = 860;
const LEFT = 60;
const RIGHT = 16;
const TOP = 96;
const PLOT_HEIGHT = 220;
const BASE = TOP + PLOT_HEIGHT;
const HEIGHT = BASE + 44;
const GRID_TOKENS = 20_000;
const GRID_TURNS = 10;

/** Of the first session. */
export function writePicture(sides: readonly PlayedSide[], windowTokens: number): void {
  const [without, with_] = [STOCK_SIDE, OUR_SIDE].map(
    ({ name }) => sides.find(({ side }) => side === name)?.played[0],
  );
  if (!without || !with_) throw new Error("Both hosts must have played");
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, renderPicture(without, with_, windowTokens));
}

/** An SVG file that follows the reader's light or dark scheme. */
export function renderPicture(
  without: PlayedSession,
  with_: PlayedSession,
  windowTokens: number,
): string {
  const turns = without.script.turns.length;
  const scale: Scale = {
    x: (turn) => LEFT + (turn / turns) * (WIDTH - LEFT - RIGHT),
    y: (value) => BASE - (value / windowTokens) * PLOT_HEIGHT,
  };
  const title = `The context of a session of ${turns} turns in a window of ${tokens(windowTokens)} tokens: ${said("OpenCode alone", without)}, ${said("with Session Runtime", with_)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #3d444d; }
.head { font-size: 16px; font-weight: 600; fill: #1f2328; }
path { fill: none; stroke-width: 1.6; }
.without { stroke: #c8563c; }
.with { stroke: #2f7d5b; }
line { stroke: #9aa4ae; stroke-width: 0.5; }
.window { stroke-width: 1; stroke-dasharray: 5 4; }
@media (prefers-color-scheme: dark) {
  text { fill: #b8c0c8; }
  .head { fill: #f0f3f6; }
  .without { stroke: #e2745a; }
  .with { stroke: #53b487; }
  line { stroke: #5b656f; }
}
</style>
<text class="head" x="${LEFT}" y="26">A session's context, call by call</text>
<path class="without" d="M${LEFT} 47h18"/><text x="${LEFT + 24}" y="51">${escaped(said("OpenCode alone", without))}</text>
<path class="with" d="M${LEFT} 67h18"/><text x="${LEFT + 24}" y="71">${escaped(said("with Session Runtime", with_))}</text>
${grid(scale, turns, windowTokens)}
<path class="without" d="${drawPath(without, scale)}"/>
<path class="with" d="${drawPath(with_, scale)}"/>
</svg>
`;
}

interface Scale {
  readonly x: (turn: number) => number;
  readonly y: (value: number) => number;
}

function said(name: string, session: PlayedSession): string {
  const tally = tallySessions([session]);
  const compactions = tally.compactions === 1 ? "1 compaction" : `${tally.compactions} compactions`;
  return `${name}: ${countRight(tally)} of ${tally.questions} questions answered, ${compactions}, billed as ${tokens(tally.bill)} input tokens`;
}

function grid({ x, y }: Scale, turns: number, windowTokens: number): string {
  const lines: string[] = [];
  for (let value = 0; value <= windowTokens; value += GRID_TOKENS) {
    const kind = value === windowTokens ? ` class="window"` : "";
    const at = y(value).toFixed(1);
    lines.push(`<line${kind} x1="${LEFT}" y1="${at}" x2="${WIDTH - RIGHT}" y2="${at}"/>`);
    const name = value === windowTokens ? "window" : tokens(value);
    lines.push(
      `<text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${name}</text>`,
    );
  }
  for (let turn = GRID_TURNS; turn <= turns; turn += GRID_TURNS) {
    const name = turn === GRID_TURNS ? `turn ${turn}` : String(turn);
    lines.push(
      `<text x="${x(turn - 0.5).toFixed(1)}" y="${BASE + 18}" text-anchor="middle">${name}</text>`,
    );
  }
  return lines.join("\n");
}

/** A step for each of the session's own calls; those of a turn share its width. */
function drawPath({ calls, script }: PlayedSession, { x, y }: Scale): string {
  const steps = script.turns.flatMap((_, turn) => {
    const own = calls.filter((call) => call.turn === turn && call.kind === "main");
    return own.map(({ promptTokens }, at) => ({
      from: x(turn + at / own.length).toFixed(1),
      to: x(turn + (at + 1) / own.length).toFixed(1),
      height: y(promptTokens).toFixed(1),
    }));
  });
  return steps
    .map(({ from, to, height }, at) => `${at === 0 ? "M" : "L"}${from} ${height}L${to} ${height}`)
    .join("");
}
