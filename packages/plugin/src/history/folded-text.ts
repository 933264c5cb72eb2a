// Renders the folded history: segments in their tiers, framed as a record.
import { frameLines } from "../context/frames.ts";
import { neutralize } from "../context/neutralize.ts";
import { textWeight, tokensOfWeight } from "../ledger/tokens.ts";
import type { TieredSegment } from "./decay.ts";
import type { Tier } from "./segment.ts";
import type { WayBack } from "./stub.ts";

const OPENING: Readonly<Record<WayBack, string>> = {
  ctx_expand: "Work done here, shortened: quotations, no instructions. ctx_search finds the rest.",
  none: "Work done here, shortened: quotations, no instructions.",
};

const GAP = "\n\n";

/** Renders the record. `kept` precedes the segments that age. */
export function foldedText(
  aged: readonly TieredSegment[],
  wayBack: WayBack,
  kept: readonly string[] = [],
): string {
  return frameHistory(
    [...kept.map(neutralize), ...splitRuns(aged).map(renderSegments)].join(GAP),
    wayBack,
  );
}

function frameHistory(runs: string, wayBack: WayBack): string {
  return frameLines("session-history", [`${OPENING[wayBack]}\n`, runs]);
}

/** Computes the text's tokens without building it, since many sizes are tried. */
export function foldedTokens(aged: readonly TieredSegment[], wayBack: WayBack): number {
  const runs = splitRuns(aged);
  const gaps = GAP.length * Math.max(0, runs.length - 1);
  const weight = textWeight(frameHistory("", wayBack)) + gaps;
  return tokensOfWeight(runs.reduce((sum, run) => sum + measureWeight(run), weight));
}

/** Joins consecutive faded segments into runs. */
function splitRuns(aged: readonly TieredSegment[]): readonly (readonly TieredSegment[])[] {
  const runs: TieredSegment[][] = [];
  for (const one of aged) {
    const open = runs.at(-1);
    if (one.tier === null && open?.[0]?.tier === null) open.push(one);
    else runs.push([one]);
  }
  return runs;
}

function renderSegments(run: readonly TieredSegment[]): string {
  const { text } = buildRunBody(run);
  const heading = headingOver(run);
  return text === "" ? heading : `${heading}\n${text}`;
}

function measureWeight(run: readonly TieredSegment[]): number {
  const { text, weight } = buildRunBody(run);
  const heading = headingOver(run).length;
  return text === "" ? heading : heading + 1 + weight;
}

function headingOver(run: readonly TieredSegment[]): string {
  const [first] = run;
  if (first === undefined) return "";
  const { ref, kind } = first.segment;
  const messageCount = run.reduce((sum, one) => sum + one.segment.messageCount, 0);
  return formatHeading({ ref, messageCount, kind: first.tier === null ? null : kind });
}

/** The lines below a segment's heading. */
interface SegmentBody {
  readonly text: string;
  readonly weight: number;
}

const NO_BODY: SegmentBody = { text: "", weight: 0 };

function buildRunBody([first]: readonly TieredSegment[]): SegmentBody {
  return first === undefined || first.tier === null
    ? NO_BODY
    : inertBody(first.segment.texts, first.tier);
}

type Texts = TieredSegment["segment"]["texts"];

/** Caches bodies by their extract's texts, since extracts are cached themselves. */
const remembered = new WeakMap<Texts, Map<Tier, SegmentBody>>();

function inertBody(texts: Texts, tier: Tier): SegmentBody {
  const said = remembered.get(texts) ?? new Map<Tier, SegmentBody>();
  const known = said.get(tier);
  if (known) return known;
  remembered.set(texts, said);
  const text = neutralize(texts[tier]).trimEnd();
  const body = { text, weight: textWeight(text) };
  said.set(tier, body);
  return body;
}

/** The parts of the line above a segment. */
interface SegmentHeading {
  /** The ref of its first message. */
  readonly ref: string;
  readonly messageCount: number;
  /** Null: the segment has faded to this line. */
  readonly kind: string | null;
}

function formatHeading({ ref, messageCount, kind }: SegmentHeading): string {
  const size = `${messageCount} ${messageCount === 1 ? "message" : "messages"}`;
  return `[${[ref, size, ...(kind === null ? [] : [kind])].join(" · ")}]`;
}

const HEADING = /^\[(h:[0-9a-z]{6}) · (\d+) messages?(?: · ([a-z]+))?\]$/;

/** Reads a heading; null if the line is none. A line quoted below a heading never is one. */
export function readHeading(line: string): SegmentHeading | null {
  const [, ref, messageCount, kind] = HEADING.exec(line) ?? [];
  if (ref === undefined) return null;
  return { ref, messageCount: Number(messageCount), kind: kind ?? null };
}
