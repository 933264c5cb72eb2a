// Renders the answer of `ctx_search`: hits with the lines that answer, bounded as a whole.
import { toSingleLine } from "../../context/neutralize.ts";
import { numberTexts, type RecordLine, recalled, renderQuote } from "../../context/quote.ts";
import { type Finding, fuseByRank } from "../../feature-api/finders.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import type { SessionId } from "../../storage/records.ts";
import type { ShownHit } from "./look-up.ts";

interface SearchFacts {
  /** The number of parts that were searched. */
  readonly parts: number;
  readonly within: "session" | "project";
  /** The number of passages that match and are in the context already. */
  readonly inContext: number;
  /** `whole` means that everything is indexed that should be. */
  readonly index: "whole" | "in progress";
  readonly nowMs: number;
}

/** The most tokens that one answer may take, its frame included. */
const ANSWER_TOKENS = 1_500;

const WHERE = { session: "this session", project: "this project's sessions" };

/** Holds the results of a search, each list best first. */
interface Answers {
  readonly hits: readonly ShownHit[];
  readonly findings: readonly Finding[];
  /** Hits found by the meaning of the query. */
  readonly semantic: readonly Finding[];
}

type HitHeading = Pick<Finding, "ref" | "words" | "madeAtMs">;

interface Quote {
  readonly ref: string;
  readonly text: string;
}

/** @param sessionId the session that asks; hits of other sessions state which one they are from */
export function renderFound(
  { hits, findings, semantic }: Answers,
  sessionId: SessionId,
  facts: SearchFacts,
): string {
  const quote = (head: HitHeading, lines: readonly RecordLine[], where = ""): Quote => {
    const age = formatAge(facts.nowMs - head.madeAtMs);
    const text = `[${head.ref}] ${toSingleLine(head.words)}, ${age}${where}\n${renderQuote(lines)}`;
    return { ref: head.ref, text };
  };
  const ofFindings = (some: readonly Finding[]) =>
    some.map((one) => quote(one, numberTexts(one.lines)));
  const ofHits = hits.map(({ part, lines }) =>
    quote(part, lines, part.sessionId === sessionId ? "" : `, in session ${part.sessionId}`),
  );
  const lists = [ofHits, ofFindings(findings), ofFindings(semantic)].map(nameQuotes);
  const quotes = fuseByRank(lists, ({ name }) => name).map(({ text }) => text);
  const rest = [describeShown(facts), describeIndexing(facts)].filter((line) => line !== null);
  const render = (count: number) => [recalled(quotes.slice(0, count)), ...rest].join("\n");
  let count = quotes.length;
  while (count > 1 && estimateTokens(render(count)) > ANSWER_TOKENS) count -= 1;
  return render(count);
}

/** Identifies a hit: a record has the same ref in every list, and another place in it counts as another hit. */
function nameQuotes(
  quotes: readonly Quote[],
): readonly { readonly name: string; readonly text: string }[] {
  const counts = new Map<string, number>();
  return quotes.map(({ ref, text }) => {
    const place = (counts.get(ref) ?? 0) + 1;
    counts.set(ref, place);
    return { name: `${ref} ${place}`, text };
  });
}

export function renderNothing(facts: SearchFacts): string {
  const searched = `Nothing found in ${WHERE[facts.within]} (${facts.parts} texts, calls and results searched, by words and by pieces of them).`;
  const advice =
    facts.within === "session"
      ? 'Try other words, or in: "project".'
      : "Try other words: names, paths, numbers, error texts.";
  return [searched, describeShown(facts), describeIndexing(facts), advice]
    .filter((line) => line !== null)
    .join(" ");
}

export function renderNoWords(): string {
  return "The query has no letter or digit to look for. Give words, names, paths, numbers or an error's text.";
}

function describeShown({ inContext }: SearchFacts): string | null {
  if (inContext === 0) return null;
  return `${inContext} more already in your context.`;
}

function describeIndexing({ index }: SearchFacts): string | null {
  return index === "whole" ? null : "Older parts are still being indexed: try again in a moment.";
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

function formatAge(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]} ago` : "just now";
}
