// Finds which messages could be folded now, and renders the text in their place.
import { quoteLines } from "../context/frames.ts";
import type { EditOf } from "../ledger/edit.ts";
import { asksForCompaction, type HostMessage, isText } from "../ledger/message.ts";
import { deriveRef } from "../ledger/ref.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import { extractSegment } from "./extract.ts";
import {
  estimateFoldedTokens,
  findLeastPressure,
  type MessageRange,
  renderFoldedText,
  type Segment,
  splitRanges,
  TIERS,
  type TieredSegment,
  tierSegments,
} from "./folded-text.ts";
import { isFoldedRow, type MeasuredRow, sumRowTokens } from "./measured-history.ts";
import { findCurrentParts, renderKeptLines } from "./record-lines.ts";
import { isDialogue } from "./results.ts";
import { resolveBudget } from "./settings.ts";
import type { FoldedShare, HistorySurvey } from "./survey.ts";
import { foldEdit, type IndexRange, type KeepPredicate, listWork, renderCallLine } from "./work.ts";
import { type PlacedSegment, placeSegmentWork } from "./written.ts";

export interface Folding {
  /** `append` folds what came after the last fold; `whole` folds all that can be folded, as one. */
  readonly kind: "append" | "whole";
  /** Ranges that are folded: one, or two around the user's newest prompt. */
  readonly stretches: readonly IndexRange[];
  /** The measured rows within these ranges. */
  readonly rows: ReadonlySet<MeasuredRow>;
  /** The tokens of those rows, and the share of these tokens that is folded history already. */
  readonly rowTokens: number;
  readonly formerTokens: number;
}

/** Lists at most one folding of each kind; none if no message stands beyond the tail. */
export function listFoldings(survey: HistorySurvey): readonly Folding[] {
  const { sheet, input, answerIndex } = survey;
  const head = countHeadMessages(input.messages);
  const folds = sheet.rows.filter(({ kind }) => kind === "fold");
  const foldedTo = Math.max(head - 1, ...folds.map(({ last }) => last));
  const last = Math.min(answerIndex - 1, findLastBeyond(survey));
  if (last <= foldedTo) return [];
  const whole = createFoldings(survey, "whole", { first: head, last });
  const append =
    folds.length === 0 ? [] : createFoldings(survey, "append", { first: foldedTo + 1, last });
  // Leaves out foldings without new work: since the last fold, only words may have come.
  return [...append, ...whole].filter(({ rowTokens, formerTokens }) => rowTokens > formerTokens);
}

/** Counts the messages that the host's compaction left at the head, which stay as they are. */
export function countHeadMessages(messages: readonly HostMessage[]): number {
  const [head] = messages;
  return head && asksForCompaction(head) ? 2 : 0;
}

/** Returns the index of the last message that is followed by a whole tail. */
function findLastBeyond({ sheet, keepTokens }: HistorySurvey): number {
  const row = sheet.rows.findLast(({ end }) => sheet.totalTokens - end >= keepTokens);
  return row?.last ?? -1;
}

/** The least work that is worth folding, in tokens: first for finished turns, then for the running turn. */
const MIN_WORK_TOKENS = 300;
const MIN_RUNNING_TOKENS = 4_000;

function createFoldings(
  survey: HistorySurvey,
  kind: Folding["kind"],
  range: IndexRange,
): readonly Folding[] {
  const { sheet, promptIndex, input } = survey;
  const stretches: IndexRange[] = [];
  const going: MeasuredRow[] = [];
  for (const stretch of listWork(input.messages, range, createKeepTest(survey))) {
    const rows = sliceRows(sheet.rows, stretch);
    const isWorth = rows.some(({ kind: rowKind }) => rowKind === "fold");
    const least = stretch.last < promptIndex ? MIN_WORK_TOKENS : MIN_RUNNING_TOKENS;
    if (!isWorth && sumRowTokens(rows) < least) continue;
    stretches.push(stretch);
    going.push(...rows);
  }
  return stretches.length === 0 ? [] : [createFolding(kind, stretches, going)];
}

/** Keeps a message whole if one of its parts is kept, because a call and its result belong together. */
function createKeepTest({ isKept }: HistorySurvey): KeepPredicate {
  return (message) => isDialogue(message) || message.parts.some((part) => isKept(part, message));
}

/** Folds the work around a part again once the part is kept and its fold has therefore ended. */
export function repeatFolds(survey: HistorySurvey, range: IndexRange): readonly EditOf<"fold">[] {
  const [folding] = createFoldings(survey, "whole", range);
  return (folding && renderFold(survey, folding)?.folds) ?? [];
}

function createFolding(
  kind: Folding["kind"],
  stretches: readonly IndexRange[],
  going: readonly MeasuredRow[],
): Folding {
  const formerTokens = sumRowTokens(going.filter(isFoldedRow));
  return { kind, stretches, rows: new Set(going), rowTokens: sumRowTokens(going), formerTokens };
}

function sliceRows(rows: readonly MeasuredRow[], { first, last }: IndexRange) {
  return rows.filter((row) => first <= row.first && row.last <= last);
}

/** Returns the share of each row that is saved if the text that replaces the rows takes this many tokens. */
export function computeSparedShare(folding: Folding, textTokens: number): FoldedShare {
  const { rowTokens, formerTokens } = folding;
  const fresh = rowTokens - formerTokens;
  const said = Math.max(0, textTokens - formerTokens);
  const share = fresh <= 0 ? 0 : Math.max(0, 1 - said / fresh);
  // A row that is folded already has been paid for, so no rent is counted for it a second time.
  return (row) => (folding.rows.has(row) ? (isFoldedRow(row) ? 0 : share) : null);
}

/**
 * Renders existing folds again if nothing new can be folded and a model has since written summaries of
 * messages that these folds only extract. Returns null if the folds are as good as they can be.
 */
export function improveFold(survey: HistorySurvey): WrittenFold | null {
  const { sheet, input } = survey;
  const folds = sheet.rows.filter(({ kind }) => kind === "fold");
  if (folds.length === 0 || input.written.length === 0) return null;
  const range = {
    first: countHeadMessages(input.messages),
    last: Math.max(...folds.map(({ last }) => last)),
  };
  const [folding] = createFoldings(survey, "whole", range);
  if (!folding) return null;
  const shown = folds
    .flatMap(({ message }) => message.parts.filter(isText))
    .map(({ text }) => text);
  const quotesSegment = (texts: readonly string[], { written }: PlacedSegment) =>
    TIERS.some((tier) => texts.some((text) => text.includes(quoteLines(written.texts[tier]))));
  const unsaid = placeSegmentWork(input.written, input.messages, range).filter(
    (one) => !quotesSegment(shown, one),
  );
  const said = unsaid.length === 0 ? null : renderFold(survey, folding);
  const texts = said?.folds.map(({ text }) => text) ?? [];
  return said && unsaid.some((one) => quotesSegment(texts, one)) ? said : null;
}

export interface WrittenFold {
  readonly folds: readonly EditOf<"fold">[];
  readonly tokens: number;
  /** The folding, reduced to the stretches whose record is much shorter than their messages. */
  readonly folding: Folding;
}

/** Returns the tokens that all records of a call may take together. */
export function resolveFoldBudget({ settings, input }: HistorySurvey): number {
  return resolveBudget(settings, input.space.usableTokens);
}

/** Counts the tokens of the records that this folding does not replace. */
function countOtherFoldTokens({ sheet }: HistorySurvey, { rows }: Folding): number {
  return sumRowTokens(sheet.rows.filter((row) => isFoldedRow(row) && !rows.has(row)));
}

/** Of results that were dropped before, only stubs are left to fold, so most of the text is the model's words. */
const MAX_SHARE = 0.75;

/** A record of fresh work takes this share of its tokens, within these bounds. */
const RECORD_BUDGET = { share: 0.02, least: 60, most: 250 } as const;

/** Estimates this folding's records together: existing ones at their size, fresh ones at the usual size. */
function estimateRecordTokens({ rows, stretches, formerTokens }: Folding): number {
  const fresh = [...rows].filter((row) => !isFoldedRow(row));
  return stretches.reduce((sum, stretch) => {
    const tokens = sumRowTokens(sliceRows(fresh, stretch));
    const { share, least, most: cap } = RECORD_BUDGET;
    const most = Math.min(cap, Math.max(least, share * tokens));
    return tokens === 0 ? sum : sum + most;
  }, formerTokens);
}

/** Renders the text that replaces the messages; null if it would hardly be shorter. */
export function renderFold(survey: HistorySurvey, folding: Folding): WrittenFold | null {
  const { input, settings } = survey;
  const { rowTokens, formerTokens, stretches } = folding;
  const space = resolveFoldBudget(survey) - countOtherFoldTokens(survey, folding);
  const most = formerTokens + MAX_SHARE * (rowTokens - formerTokens);
  const budget = Math.min(space, most, estimateRecordTokens(folding));
  const current = findCurrentParts(input.messages);
  const parts = stretches.map((stretch) => {
    const work = input.messages.slice(stretch.first, stretch.last + 1);
    const kept = [...renderCallLine(input.messages, stretch), ...renderKeptLines(work, current)];
    return { kept, segments: collectSegments(survey, stretch) };
  });
  // Kept lines are whole and don't count against the budget.
  const measureFold = (aged: readonly TieredSegment[]) =>
    estimateFoldedTokens(aged, settings.wayBack);
  const measureUnderPressure = (pressure: number) =>
    parts.reduce((sum, { segments }) => sum + measureFold(tierSegments(pressure, segments)), 0);
  const pressure = findLeastPressure(
    parts.flatMap(({ segments }) => segments),
    (some) => measureUnderPressure(some) <= budget,
  );
  const records = stretches.flatMap((stretch, index) => {
    const { kept = [], segments = [] } = parts[index] ?? {};
    const aged = tierSegments(pressure, segments);
    const rows = sliceRows(survey.sheet.rows, stretch);
    const tokens = measureFold(aged) + estimateTokens(kept.join("\n"));
    const most = rows.some(isFoldedRow) ? sumRowTokens(rows) : MAX_SHARE * sumRowTokens(rows);
    return tokens > most ? [] : [{ stretch, rows, tokens, aged, kept }];
  });
  const tokens = records.reduce((sum, record) => sum + record.tokens, 0);
  const keptTokens = records.reduce((sum, { kept }) => sum + estimateTokens(kept.join("\n")), 0);
  if (records.length === 0 || tokens - keptTokens > budget) return null;
  const folds = records.map(({ stretch, aged, kept }) => {
    const text = renderFoldedText(aged, settings.wayBack, kept);
    return foldEdit(input.messages, stretch, text);
  });
  const going = createFolding(
    folding.kind,
    records.map(({ stretch }) => stretch),
    records.flatMap(({ rows }) => rows),
  );
  return { folds, tokens, folding: going };
}

/** Lists the segments of a stretch: a model's text if there is one, otherwise an extract. */
function collectSegments({ input, settings }: HistorySurvey, stretch: IndexRange): Segment[] {
  const { messages } = input;
  const { measure } = settings;
  const countTokens = (message: HostMessage) => measure(message).tokens;
  const sum = (some: readonly HostMessage[]) =>
    some.reduce((tokens, message) => tokens + countTokens(message), 0);
  const placed = placeSegmentWork(input.written, messages, stretch);
  const pieces = collectPieces({ messages, stretch, placed, countTokens });
  let age = sum(messages.slice(stretch.last + 1));
  return pieces
    .toReversed()
    .map(({ range, placed: written }) => {
      const segment = written
        ? toSegment(written, range, age)
        : extractSegment(range, age, measure);
      age += sum(range);
      return segment;
    })
    .reverse();
}

interface SegmentPiece {
  readonly range: MessageRange;
  readonly placed: PlacedSegment | null;
}

interface PlacedSegments {
  readonly messages: readonly HostMessage[];
  readonly stretch: IndexRange;
  readonly placed: readonly PlacedSegment[];
  readonly countTokens: (message: HostMessage) => number;
}

function collectPieces({
  messages,
  stretch,
  placed,
  countTokens,
}: PlacedSegments): readonly SegmentPiece[] {
  const extractRange = (first: number, end: number) =>
    splitRanges(messages.slice(first, end), countTokens).map((range) => ({ range, placed: null }));
  let from = stretch.first;
  const pieces = placed.flatMap((one): readonly SegmentPiece[] => {
    const before = extractRange(from, one.first);
    from = one.last + 1;
    return [...before, { range: messages.slice(one.first, from), placed: one }];
  });
  return [...pieces, ...extractRange(from, stretch.last + 1)];
}

/** Takes the ref from the message that is there now; in a fork, that is the fork's own message. */
function toSegment({ written }: PlacedSegment, range: MessageRange, ageTokens: number): Segment {
  const { kind, importance } = written;
  const first = range[0]?.info.id ?? "";
  const { full, short, brief, line } = written.texts;
  const texts = {
    full: quoteLines(full),
    short: quoteLines(short),
    brief: quoteLines(brief),
    line: quoteLines(line),
  };
  return {
    ref: deriveRef("h", first),
    messageCount: range.length,
    kind,
    importance,
    texts,
    ageTokens,
  };
}
