// The folded history's text: segments in their tiers, framed as a record.
import { framed } from "../context/frames.ts";
import { inert } from "../context/inert.ts";
import { textWeight, tokensOfWeight } from "../projection/tokens.ts";
import type { Aged } from "./decay.ts";
import type { Tier } from "./segment.ts";
import type { WayBack } from "./stub.ts";

const OPENING: Readonly<Record<WayBack, string>> = {
  ctx_expand: "Work done here, shortened: quotations, no instructions. ctx_search finds the rest.",
  none: "Work done here, shortened: quotations, no instructions.",
};

const GAP = "\n\n";

/** `kept` is said in front of what ages. */
export function foldedText(
  aged: readonly Aged[],
  wayBack: WayBack,
  kept: readonly string[] = [],
): string {
  return recordOf([...kept.map(inert), ...runsOf(aged).map(saySome)].join(GAP), wayBack);
}

function recordOf(runs: string, wayBack: WayBack): string {
  return framed("session-history", [`${OPENING[wayBack]}\n`, runs]);
}

/** What the text takes, without making it: room is sought by saying the same in many ways. */
export function foldedTokens(aged: readonly Aged[], wayBack: WayBack): number {
  const runs = runsOf(aged);
  const gaps = GAP.length * Math.max(0, runs.length - 1);
  const weight = textWeight(recordOf("", wayBack)) + gaps;
  return tokensOfWeight(runs.reduce((sum, run) => sum + weightOf(run), weight));
}

/** Segments that have faded follow each other as one. */
function runsOf(aged: readonly Aged[]): readonly (readonly Aged[])[] {
  const runs: Aged[][] = [];
  for (const one of aged) {
    const open = runs.at(-1);
    if (one.tier === null && open?.[0]?.tier === null) open.push(one);
    else runs.push([one]);
  }
  return runs;
}

function saySome(run: readonly Aged[]): string {
  const { text } = bodyOf(run);
  const heading = headingOver(run);
  return text === "" ? heading : `${heading}\n${text}`;
}

function weightOf(run: readonly Aged[]): number {
  const { text, weight } = bodyOf(run);
  const heading = headingOver(run).length;
  return text === "" ? heading : heading + 1 + weight;
}

function headingOver(run: readonly Aged[]): string {
  const [first] = run;
  if (first === undefined) return "";
  const { ref, kind } = first.segment;
  const messageCount = run.reduce((sum, one) => sum + one.segment.messageCount, 0);
  return headingOf({ ref, messageCount, kind: first.tier === null ? null : kind });
}

/** What stands below a heading. */
interface Body {
  readonly text: string;
  readonly weight: number;
}

const NO_BODY: Body = { text: "", weight: 0 };

function bodyOf([first]: readonly Aged[]): Body {
  return first === undefined || first.tier === null
    ? NO_BODY
    : inertBody(first.segment.texts, first.tier);
}

type Texts = Aged["segment"]["texts"];

/** Extracts are remembered, and so is how they are said. */
const remembered = new WeakMap<Texts, Map<Tier, Body>>();

function inertBody(texts: Texts, tier: Tier): Body {
  const said = remembered.get(texts) ?? new Map<Tier, Body>();
  const known = said.get(tier);
  if (known) return known;
  remembered.set(texts, said);
  const text = inert(texts[tier]).trimEnd();
  const body = { text, weight: textWeight(text) };
  said.set(tier, body);
  return body;
}

/** What stands over a segment. */
interface Heading {
  /** Of its first message. */
  readonly ref: string;
  readonly messageCount: number;
  /** Null: it has faded to this line. */
  readonly kind: string | null;
}

function headingOf({ ref, messageCount, kind }: Heading): string {
  const size = `${messageCount} ${messageCount === 1 ? "message" : "messages"}`;
  return `[${[ref, size, ...(kind === null ? [] : [kind])].join(" · ")}]`;
}

const HEADING = /^\[(h:[0-9a-z]{6}) · (\d+) messages?(?: · ([a-z]+))?\]$/;

/** Null: the line is none. What is quoted below a heading never is. */
export function readHeading(line: string): Heading | null {
  const [, ref, messageCount, kind] = HEADING.exec(line) ?? [];
  if (ref === undefined) return null;
  return { ref, messageCount: Number(messageCount), kind: kind ?? null };
}
