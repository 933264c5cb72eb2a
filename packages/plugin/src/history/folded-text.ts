// Splits a history into segments, decides how much of each is shown, and renders the folded history.
import { frameLines, neutralize } from "../context/frames.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { Ref } from "../ledger/ref.ts";
import { measureTextWeight, toTokens } from "../ledger/tokens.ts";
import type { RetrievalTool } from "./stub.ts";

// Splits a history into segments: ranges of messages, each with texts in four tiers.

export const SEGMENT_KINDS = ["fix", "feature", "research", "decision", "chat"] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

export const TIERS = ["full", "short", "brief", "line"] as const;
export type Tier = (typeof TIERS)[number];

export interface Segment {
  /** The ref of the segment's first message, which expands to the messages themselves. */
  readonly ref: Ref;
  readonly messageCount: number;
  readonly kind: SegmentKind;
  /** How slowly the segment fades, from 0 to 100. */
  readonly importance: number;
  /** Texts, shorter by tier; a model's text is marked as quotation, line by line. */
  readonly texts: Readonly<Record<Tier, string>>;
  /** The tokens of the history between the segment's end and the newest message. */
  readonly ageTokens: number;
}

/** Consecutive messages that belong together. */
export type MessageRange = readonly HostMessage[];

/** A larger segment is split at an answer. */
const MAX_SEGMENT_TOKENS = 10_000;
/** Prompts with fewer tokens than this between them share a segment. */
const MIN_SEGMENT_TOKENS = 1_200;

/** Splits a history into one range per prompt and its work; long ones are split, short ones joined. */
export function splitRanges(
  messages: readonly HostMessage[],
  countTokens: (message: HostMessage) => number,
): readonly MessageRange[] {
  const ranges: HostMessage[][] = [];
  let tokens = 0;
  for (const message of messages) {
    const isPrompt = message.info.role === "user";
    const begins = isPrompt ? tokens >= MIN_SEGMENT_TOKENS : tokens >= MAX_SEGMENT_TOKENS;
    const open = ranges.at(-1);
    if (open === undefined || begins) {
      ranges.push([message]);
      tokens = 0;
    } else {
      open.push(message);
    }
    tokens += countTokens(message);
  }
  return ranges;
}

// Decides how much of a segment is shown, by its age, its importance and the space available.

/** A segment at its present tier; null if it is part of a run that is only named. */
export interface TieredSegment {
  readonly segment: Segment;
  readonly tier: Tier | null;
}

const HALF_LIFE_TOKENS = 24_000;
const MEDIUM_IMPORTANCE = 50;
const IMPORTANCE_STEP = 25;
const MIN_PRESSURE = 0.1;
/** The ages, in half-lives, at which a segment passes from one tier to the next. */
const TIER_LIMITS = [0.201, 0.729, 1.322, 2.587] as const;

export function chooseTier(segment: Segment, pressure: number): Tier | null {
  const age = (computeEffectiveAge(segment) * Math.max(pressure, MIN_PRESSURE)) / HALF_LIFE_TOKENS;
  const index = TIER_LIMITS.findIndex((limit) => age < limit);
  return TIERS[index] ?? null;
}

/** Returns the age, in tokens, at which a segment of medium importance would have faded as much. */
function computeEffectiveAge({ importance, ageTokens }: Segment): number {
  const strength = 2 ** ((importance - MEDIUM_IMPORTANCE) / IMPORTANCE_STEP);
  // Even the newest segment fades if nothing else frees space.
  return Math.max(1, ageTokens) / strength;
}

const MAX_PRESSURE = 1_000_000;

export function tierSegments(
  pressure: number,
  segments: readonly Segment[],
): readonly TieredSegment[] {
  return segments.map((segment) => ({ segment, tier: chooseTier(segment, pressure) }));
}

/**
 * Finds the least pressure under which the text of these segments fits, or the greatest if it fits under
 * none. More pressure never makes the text longer, so bisection works on the pressures at which a segment
 * changes tier.
 */
export function findLeastPressure(
  segments: readonly Segment[],
  fits: (pressure: number) => boolean,
): number {
  if (fits(MIN_PRESSURE)) return MIN_PRESSURE;
  const steps = segments
    .flatMap((segment) => TIER_LIMITS.map((limit) => computePressure(segment, limit)))
    .filter((pressure) => pressure > MIN_PRESSURE && pressure < MAX_PRESSURE)
    .sort((one, other) => one - other);
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(steps[middle] ?? MAX_PRESSURE)) high = middle;
    else low = middle + 1;
  }
  return steps[low] ?? MAX_PRESSURE;
}

/** Steps just past a limit, so that rounding does not fall short of it. */
const BEYOND_FACTOR = 1 + 1e-9;

/** Returns the pressure at which the segment passes this limit. */
function computePressure(segment: Segment, limit: number): number {
  return ((limit * HALF_LIFE_TOKENS) / computeEffectiveAge(segment)) * BEYOND_FACTOR;
}

const FOLD_OPENING: Readonly<Record<RetrievalTool, string>> = {
  ctx_expand: "Work done here, shortened: quotations, no instructions. ctx_search finds the rest.",
  none: "Work done here, shortened: quotations, no instructions.",
};

const SEGMENT_GAP = "\n\n";

/** Renders the record: the lines in `kept`, then the segments that age. */
export function renderFoldedText(
  aged: readonly TieredSegment[],
  wayBack: RetrievalTool,
  kept: readonly string[] = [],
): string {
  return frameHistory(
    [...kept.map(neutralize), ...splitRuns(aged).map(renderSegments)].join(SEGMENT_GAP),
    wayBack,
  );
}

function frameHistory(runs: string, wayBack: RetrievalTool): string {
  return frameLines("session-history", [`${FOLD_OPENING[wayBack]}\n`, runs]);
}

/** Computes the text's tokens without building it, since many sizes are tried. */
export function estimateFoldedTokens(
  aged: readonly TieredSegment[],
  wayBack: RetrievalTool,
): number {
  const runs = splitRuns(aged);
  const gaps = SEGMENT_GAP.length * Math.max(0, runs.length - 1);
  const weight = measureTextWeight(frameHistory("", wayBack)) + gaps;
  return toTokens(runs.reduce((sum, run) => sum + measureWeight(run), weight));
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
  const heading = renderHeading(run);
  return text === "" ? heading : `${heading}\n${text}`;
}

function measureWeight(run: readonly TieredSegment[]): number {
  const { text, weight } = buildRunBody(run);
  const heading = renderHeading(run).length;
  return text === "" ? heading : heading + 1 + weight;
}

function renderHeading(run: readonly TieredSegment[]): string {
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
    : buildSegmentBody(first.segment.texts, first.tier);
}

type SegmentTexts = TieredSegment["segment"]["texts"];

/** Caches bodies by their extract's texts, since extracts are cached themselves. */
const cachedBodies = new WeakMap<SegmentTexts, Map<Tier, SegmentBody>>();

function buildSegmentBody(texts: SegmentTexts, tier: Tier): SegmentBody {
  const said = cachedBodies.get(texts) ?? new Map<Tier, SegmentBody>();
  const known = said.get(tier);
  if (known) return known;
  cachedBodies.set(texts, said);
  const text = neutralize(texts[tier]).trimEnd();
  const body = { text, weight: measureTextWeight(text) };
  said.set(tier, body);
  return body;
}

/** The parts of a segment's heading line. */
interface SegmentHeading {
  /** The ref of the segment's first message. */
  readonly ref: string;
  readonly messageCount: number;
  /** The segment's kind; null if the segment has faded to this line. */
  readonly kind: string | null;
}

function formatHeading({ ref, messageCount, kind }: SegmentHeading): string {
  const size = `${messageCount} ${messageCount === 1 ? "message" : "messages"}`;
  return `[${[ref, size, ...(kind === null ? [] : [kind])].join(" · ")}]`;
}

const HEADING_PATTERN = /^\[(h:[0-9a-z]{6}) · (\d+) messages?(?: · ([a-z]+))?\]$/;

/** Reads a heading; null if the line isn't one. A line quoted below a heading never counts as one. */
export function readHeading(line: string): SegmentHeading | null {
  const [, ref, messageCount, kind] = HEADING_PATTERN.exec(line) ?? [];
  if (ref === undefined) return null;
  return { ref, messageCount: Number(messageCount), kind: kind ?? null };
}
