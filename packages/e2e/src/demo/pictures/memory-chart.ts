// The second session's chart for the README: facts known at its first call, and what it is billed.
import { tokens } from "../show.ts";
import type { MemoryReport } from "./second-session.ts";
import { PICTURE_STYLE } from "./style.ts";

const WIDTH = 860;
const HEIGHT = 190;
const LEFT = 16;
const BARS = 230;
const BAR_HEIGHT = 18;
const MAX_WIDTH = 480;

export function renderMemory(report: MemoryReport): string {
  const { without, with: with_ } = report;
  const title = `A second session of a project: ${known(without)} known at its first call with OpenCode alone, ${known(with_)} with Session Runtime`;
  const most = Math.max(without.bill, with_.bill);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
${PICTURE_STYLE}
<text class="head" x="${LEFT}" y="26">A second session: what it knows at its first call, and what it is billed</text>
${bar(58, "Facts, OpenCode alone", { name: "without", share: without.known / without.facts, figure: known(without) })}
${bar(84, "Facts, with Session Runtime", { name: "with", share: with_.known / with_.facts, figure: known(with_) })}
${bar(128, "Input, OpenCode alone", { name: "without", share: without.bill / most, figure: formatBill(without) })}
${bar(154, "Input, with Session Runtime", { name: "with", share: with_.bill / most, figure: formatBill(with_) })}
</svg>
`;
}

interface Bar {
  readonly name: "without" | "with";
  /** Of the longest bar, 0 to 1. */
  readonly share: number;
  readonly figure: string;
}

function bar(y: number, label: string, { name, share, figure }: Bar): string {
  const width = Math.max(2, share * MAX_WIDTH);
  return `<text x="${LEFT}" y="${y + 13}">${label}</text>
<rect class="${name}" x="${BARS}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}"/>
<text x="${(BARS + width + 8).toFixed(1)}" y="${y + 13}">${figure}</text>`;
}

/** The figures beside the chart, as sentences of the README. */
export function describeMemory({ without, with: with_ }: MemoryReport): string {
  return `In two scripted sessions on the real OpenCode, the first reads ${without.facts} files with a fact in each. With OpenCode alone, the second knows ${without.known} of ${without.facts} facts at its first call and reads the files again, for ${tokens(without.bill)} tokens of input. With the plugin it knows **${with_.known} of ${with_.facts}** and answers at once, for ${tokens(with_.bill)}; storing the facts included, both sessions together cost ${tokens(with_.both)} instead of ${tokens(without.both)}.`;
}

function known({ known: count, facts }: MemoryReport["with"]): string {
  return `${count} of ${facts} facts`;
}

function formatBill({ bill, calls }: MemoryReport["with"]): string {
  return `${tokens(bill)} tokens in ${calls === 1 ? "1 call" : `${calls} calls`}`;
}
