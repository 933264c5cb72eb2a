// Makes a segment without a model, from the words of its messages.
import { markLabel } from "../context/frames.ts";
import { type HostMessage, isText } from "../ledger/message.ts";
import { deriveRef } from "../ledger/ref.ts";
import { equals } from "../ledger/replay.ts";
import {
  type MessageRange,
  type Segment,
  type SegmentKind,
  TIERS,
  type Tier,
} from "./folded-text.ts";
import { type MeasureMessage, type MessageMeasure, measureParts } from "./measured-history.ts";
import {
  addLabel,
  collectFindings,
  type FoundResult,
  type SearchFindings,
} from "./record-lines.ts";
import { clipText, extractGist, removeDuplicates, type SentenceSet } from "./words.ts";

/** Limits how much of each kind of text a tier holds. */
interface ExtractBudget {
  readonly askedChars: number;
  readonly asked: number;
  readonly saidChars: number;
  readonly said: number;
  readonly decisions: number;
  readonly files: number;
  readonly results: number;
  readonly lines: number;
  readonly lineChars: number;
}

const TIER_BUDGETS: Readonly<Record<Tier, ExtractBudget>> = {
  full: {
    asked: 8,
    askedChars: 480,
    said: 6,
    saidChars: 280,
    decisions: 6,
    files: 16,
    results: 10,
    lines: 3,
    lineChars: 160,
  },
  short: {
    asked: 4,
    askedChars: 240,
    said: 2,
    saidChars: 200,
    decisions: 3,
    files: 8,
    results: 5,
    lines: 1,
    lineChars: 120,
  },
  brief: {
    asked: 2,
    askedChars: 120,
    said: 1,
    saidChars: 120,
    decisions: 1,
    files: 4,
    results: 2,
    lines: 1,
    lineChars: 80,
  },
  line: {
    asked: 1,
    askedChars: 80,
    said: 0,
    saidChars: 0,
    decisions: 0,
    files: 2,
    results: 0,
    lines: 0,
    lineChars: 0,
  },
};

/** The findings of a range, before they are cut to a tier's limits. */
interface SegmentExtract extends SearchFindings {
  readonly asked: readonly string[];
  readonly said: readonly MessageText[];
  readonly decided: readonly string[];
}

type ExtractedText = Omit<Segment, "ageTokens">;

interface CachedExtract {
  readonly measured: readonly MessageMeasure[];
  readonly extracted: ExtractedText;
}

/** Caches extracts by the measurement of their first message: many calls consider folds of the same ranges. */
const cachedExtracts = new WeakMap<MessageMeasure, CachedExtract>();

/** Extracts a segment from a range of at least one message. Pure: the same messages give the same segment. */
export function extractSegment(
  range: MessageRange,
  ageTokens: number,
  measure: MeasureMessage = measureParts,
): Segment {
  const measured = range.map(measure);
  const [first] = measured;
  const known = first && cachedExtracts.get(first);
  if (known && equals(known.measured, measured)) return { ...known.extracted, ageTokens };
  const extracted = extractRange(range, measure);
  if (first) cachedExtracts.set(first, { measured, extracted });
  return { ...extracted, ageTokens };
}

function extractRange(range: MessageRange, measure: MeasureMessage): ExtractedText {
  const first = range[0]?.info.id ?? "";
  const extract = extractSegmentFacts(range, measure);
  const kind = classifySegment(extract);
  const texts = { full: "", short: "", brief: "", line: "" };
  let former = Number.POSITIVE_INFINITY;
  for (const tier of TIERS) {
    const text = renderTier(extract, TIER_BUDGETS[tier]);
    texts[tier] = text.length <= former ? text : "";
    former = texts[tier].length;
  }
  return {
    ref: deriveRef("h", first),
    messageCount: range.length,
    kind,
    importance: rateImportance(extract, kind),
    texts,
  };
}

function extractSegmentFacts(range: MessageRange, measure: MeasureMessage): SegmentExtract {
  const collectTexts = (some: MessageRange) =>
    some.flatMap((message) => listStatements(message, measure(message)));
  const asked = collectTexts(range.filter(isUser));
  const said = collectTexts(range.filter((message) => !isUser(message)));
  return {
    asked: asked.map(({ text }) => text),
    said,
    decided: removeDuplicates([...asked, ...said].flatMap(({ decided }) => decided)),
    ...collectFindings(range, measure),
  };
}

/** A message's text with its sentences. */
interface MessageText extends SentenceSet {
  readonly text: string;
}

const cachedTexts = new WeakMap<MessageMeasure, readonly MessageText[]>();

function listStatements(message: HostMessage, measured: MessageMeasure): readonly MessageText[] {
  const known = cachedTexts.get(measured);
  if (known) return known;
  const said = listWrittenTexts(message).map((text) => ({ text, ...extractGist(text) }));
  cachedTexts.set(measured, said);
  return said;
}

function isUser({ info }: HostMessage): boolean {
  return info.role === "user";
}

/** Lists what a person or the model wrote, without what the host or a plugin added to it. */
function listWrittenTexts({ parts }: HostMessage): readonly string[] {
  return parts.flatMap((part) => {
    if (!isText(part) || part.ignored === true || part.synthetic === true) return [];
    return part.text.trim() === "" ? [] : [part.text];
  });
}

function renderTier(extract: SegmentExtract, measure: ExtractBudget): string {
  const lines = [
    ...extract.asked
      .slice(0, measure.asked)
      .map((text) => addLabel("Asked", quoteText(text, measure.askedChars))),
    ...pickNewestAnswers(extract.said, measure).map((text) => addLabel("Said", text)),
    ...extract.decided
      .slice(0, measure.decisions)
      .map((text) => addLabel("Settled", quoteText(text, measure.saidChars))),
    ...renderFiles(extract.files, measure),
    ...extract.results.slice(0, measure.results).map((result) => renderResultLine(result, measure)),
  ];
  return removeDuplicates(lines).join("\n");
}

/** Picks the newest answers, since they give the outcome. */
function pickNewestAnswers(
  said: readonly MessageText[],
  { said: most, saidChars }: ExtractBudget,
): readonly string[] {
  if (most === 0) return [];
  return said.slice(-most).map(({ first, last }) => {
    const both = first === last ? [first] : [first, last];
    return both.map((sentence) => clipText(sentence, saidChars)).join(" … ");
  });
}

function renderFiles(files: readonly string[], { files: most }: ExtractBudget): readonly string[] {
  if (files.length === 0 || most === 0) return [];
  const rest = files.length > most ? `, and ${files.length - most} more` : "";
  return [addLabel("Files", `${files.slice(0, most).join(", ")}${rest}`)];
}

const cachedLines = new WeakMap<FoundResult, Map<ExtractBudget, string>>();

function renderResultLine(result: FoundResult, allowance: ExtractBudget): string {
  const lines = cachedLines.get(result) ?? new Map<ExtractBudget, string>();
  const known = lines.get(allowance);
  if (known !== undefined) return known;
  cachedLines.set(result, lines);
  const line = renderResult(result, allowance);
  lines.set(allowance, line);
  return line;
}

function renderResult(result: FoundResult, { lines, lineChars }: ExtractBudget): string {
  const shown = result.lines.slice(0, lines).map((line) => clipText(line, lineChars));
  const said = shown.length === 0 ? "" : `: ${shown.join(" | ")}`;
  return markLabel(`${clipText(result.name, lineChars)}${said}`);
}

function quoteText(text: string, mostChars: number): string {
  return `“${clipText(text, mostChars)}”`;
}

/** Matches the note that follows the path of a changed file in a finding. */
const CHANGED_FILE_PATTERN = /\((?:read, )?(?:edited|written)/;

function classifySegment({ files, results, decided }: SegmentExtract): SegmentKind {
  const changes = files.some((file) => CHANGED_FILE_PATTERN.test(file));
  const failed = results.some(({ outcome }) => outcome === "failed");
  if (changes) return failed ? "fix" : "feature";
  if (results.length > 0 || files.length > 0) return decided.length > 2 ? "decision" : "research";
  return decided.length > 0 ? "decision" : "chat";
}

const BASE_IMPORTANCE: Readonly<Record<SegmentKind, number>> = {
  fix: 60,
  feature: 60,
  decision: 65,
  research: 45,
  chat: 35,
};
const INSISTENCE_PATTERN =
  /\b(?:remember|important|always|never|must|from now on|keep in mind|note that)\b/i;

function rateImportance({ asked, decided }: SegmentExtract, kind: SegmentKind): number {
  const insists = asked.some((text) => INSISTENCE_PATTERN.test(text.slice(0, 4_000))) ? 20 : 0;
  return Math.min(100, BASE_IMPORTANCE[kind] + insists + Math.min(10, 2 * decided.length));
}
