// Surveys what a boundary has to decide on, and estimates the cost if the model asks again for what is
// dropped.
import type { Watermark } from "../ledger/boundary.ts";
import { type HostMessage, hasSentContent, isFile, isTyped } from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import type { CacheRates } from "../ledger/space.ts";
import { type Candidate, type CandidateInput, isSuperseded } from "./candidate.ts";
import { collectCandidates } from "./candidates.ts";
import { createKeptTest } from "./kept.ts";
import {
  countBlocks,
  countCallsAfter,
  countCallsBeyond,
  countPartBlocks,
  isAnswer,
  type MeasuredHistory,
  type MeasuredRow,
  measureHistory,
  type PartFacts,
} from "./measured-history.ts";
import type { PieceCost, RewriteOffer } from "./rewrite-cost.ts";
import type { HistorySettings } from "./settings.ts";
import type { WrittenSegment } from "./written.ts";

/** The view of the call that is about to be made. */
export interface HistoryInput extends NextCall {
  /** Segments that a model wrote about the messages, the newest first; many may no longer stand. */
  readonly written: readonly WrittenSegment[];
  /** Ids of parts that are kept by their ref: they are sent as the host has them. */
  readonly kept: ReadonlySet<string>;
}

export interface HistorySurvey extends CandidateInput {
  readonly input: HistoryInput;
  /** Maps part ids to what can be dropped. */
  readonly candidates: ReadonlyMap<string, Candidate>;
}

export function surveyHistory(
  input: HistoryInput,
  settings: HistorySettings,
  keepTokens: number,
): HistorySurvey {
  const { claims, space } = input;
  const { usableTokens } = space;
  const isKept = createKeptTest(input.kept, settings);
  const sight = observeHistory(input, settings);
  const surveyed = { ...sight, keepTokens, claims, isKept, settings, usableTokens };
  return { ...surveyed, input, candidates: collectCandidates(surveyed) };
}

type HistoryPosition = Pick<HistorySurvey, "sheet" | "promptIndex" | "answerIndex">;

/** Measures what a call sends, once for all questions about it. */
export function measureInput(input: HistoryInput, settings: HistorySettings): MeasuredHistory {
  return observeHistory(input, settings).sheet;
}

/** Caches by call, as several tail lengths are tried. */
const positionCache = new WeakMap<HistoryInput, HistoryPosition>();

function observeHistory(input: HistoryInput, { measure }: HistorySettings): HistoryPosition {
  const known = positionCache.get(input);
  if (known) return known;
  const { messages } = input;
  const sight = {
    sheet: measureHistory(input, measure),
    promptIndex: findNewestPrompt(messages),
    answerIndex: messages.findLastIndex(isAnswer),
  };
  positionCache.set(input, sight);
  return sight;
}

/** Returns the survey with only superseded results as candidates. */
export function selectSuperseded(survey: HistorySurvey): HistorySurvey {
  const dead = [...survey.candidates].filter(([, candidate]) => isSuperseded(candidate));
  return { ...survey, candidates: new Map(dead) };
}

/** Finds the newest prompt that a person wrote, or the user's newest message if no person wrote any. */
function findNewestPrompt(messages: readonly HostMessage[]): number {
  const written = messages.findLastIndex(
    ({ info, parts }) =>
      info.role === "user" &&
      parts.some((part) => isTyped(part) || (isFile(part) && hasSentContent(part))),
  );
  return written >= 0 ? written : messages.findLastIndex(({ info }) => info.role === "user");
}

/** A piece of what is sent, with the candidate that is dropped with it. */
export interface CandidateStep extends PieceCost {
  readonly row: MeasuredRow;
  readonly candidate: Candidate | null;
}

/** Returns the share of a row that a fold saves; null if the row stays. */
export type FoldedShare = (row: MeasuredRow) => number | null;

/** Splits what is sent into pieces. A row that is folded, or that stays whole, is one piece. */
export function splitIntoPieces(
  survey: HistorySurvey,
  foldedShare: FoldedShare,
): readonly CandidateStep[] {
  const own = createPieceLookup(survey);
  const pieces: CandidateStep[] = [];
  for (const row of survey.sheet.rows) {
    const share = foldedShare(row);
    if (share === null) pieces.push(...own(row));
    else pieces.push(createWholePiece(survey, row, row.tokens * share));
  }
  return pieces;
}

function isSent(row: MeasuredRow, watermark: Watermark | null): boolean {
  return watermark !== null && row.last <= watermark.index;
}

function createWholePiece(
  { sheet, keepTokens, input }: HistorySurvey,
  row: MeasuredRow,
  saves: number,
): CandidateStep {
  return {
    row,
    candidate: null,
    sent: isSent(row, input.watermark) ? "sent" : "new",
    tokens: row.tokens,
    blocks: countBlocks(row.message),
    saves,
    calls: countCallsBeyond(sheet, row.end, keepTokens),
    aheadTokens: 0,
    aheadBlocks: 0,
  };
}

/** Caches by a call's candidates: each rewrite that is considered needs the pieces of rows that stay. */
const cachedPieces = new WeakMap<
  HistorySurvey["candidates"],
  Map<MeasuredRow, readonly CandidateStep[]>
>();

function createPieceLookup(survey: HistorySurvey): (row: MeasuredRow) => readonly CandidateStep[] {
  const rows =
    cachedPieces.get(survey.candidates) ?? new Map<MeasuredRow, readonly CandidateStep[]>();
  cachedPieces.set(survey.candidates, rows);
  return (row) => {
    const pieces = rows.get(row) ?? splitByPart(survey, row);
    rows.set(row, pieces);
    return pieces;
  };
}

function splitByPart(
  { candidates: found, input }: HistorySurvey,
  row: MeasuredRow,
): readonly CandidateStep[] {
  const sent = isSent(row, input.watermark) ? "sent" : "new";
  const { message } = row;
  if (!message.parts.some(({ id }) => found.has(id)))
    return [createStayingPiece({ row, sent, tokens: row.tokens, blocks: countBlocks(message) })];
  const pieces: CandidateStep[] = [];
  let [aheadTokens, aheadBlocks] = [0, 0];
  for (const [place, part] of message.parts.entries()) {
    const candidate = found.get(part.id) ?? null;
    const tokens = row.measured.parts[place]?.tokens ?? 0;
    const blocks = countPartBlocks(part);
    pieces.push({
      row,
      candidate,
      sent,
      tokens,
      blocks,
      saves: candidate?.saves ?? 0,
      calls: candidate?.calls ?? 0,
      aheadTokens,
      aheadBlocks,
    });
    aheadTokens += tokens;
    aheadBlocks += blocks;
  }
  // The first piece holds the tokens of a message outside its parts.
  return [
    createStayingPiece({ row, sent, tokens: row.tokens - aheadTokens, blocks: 0 }),
    ...pieces,
  ];
}

function createStayingPiece({
  row,
  sent,
  tokens,
  blocks,
}: Pick<CandidateStep, "row" | "sent" | "tokens" | "blocks">): CandidateStep {
  return {
    row,
    candidate: null,
    sent,
    tokens,
    blocks,
    saves: 0,
    calls: 0,
    aheadTokens: 0,
    aheadBlocks: 0,
  };
}

// Estimates the cost if the model asks again for what is dropped.

/**
 * Estimates how likely a result is used again, from recorded sessions (decision 0147): less with each call since
 * it came, more with its size, and seldom for a command's output.
 */
const REUSE_MODEL = {
  chance: 0.14,
  usualTokens: 650,
  growth: 0.7,
  fadingCalls: 9.5,
  ofRuns: 0.4,
} as const;
/** Weighs the cost of asking again by this factor, since it takes a call's time as well as its tokens. */
const CAUTION_FACTOR = 18;
/**
 * Replaces CAUTION_FACTOR if the call has to be made again because there is no look-up: that may take long
 * and give a different result.
 */
const REPEATED_CALL_CAUTION_FACTOR = 27;
/** The most that the stub of a dropped result takes; a larger one is a result. */
const STUB_TOKENS = 60;

/**
 * Estimates the cost in input tokens, for a model that asks as often as usual, within the calls for which the
 * result would have stayed: later requests cost the same either way. Each request takes a call on the context
 * that is left.
 */
export function estimateAskingCost(
  survey: HistorySurvey,
  pieces: readonly CandidateStep[],
  { from, saves }: RewriteOffer,
  keptCalls: number,
): number {
  const { estimatedTokens, rates } = survey.input.space;
  const left = Math.max(0, estimatedTokens - saves);
  const caution =
    survey.settings.wayBack === "none" ? REPEATED_CALL_CAUTION_FACTOR : CAUTION_FACTOR;
  return pieces.slice(from).reduce((sum, piece) => {
    if (piece.saves <= 0) return sum;
    const calls = Math.max(0, countCallsAfter(survey.sheet, piece.row.last) - 1);
    // The share of all likely uses that would come while the result was still kept.
    const share = 1 / (1 + (calls + REUSE_MODEL.fadingCalls) / keptCalls);
    return listResults(piece).reduce(
      (cost, facts) => cost + share * caution * computeExpectedCost(facts, calls, left, rates),
      sum,
    );
  }, 0);
}

/** Lists the results that are dropped with a piece. Nobody asks for a superseded result. */
function listResults({ candidate, row }: CandidateStep): readonly PartFacts[] {
  const { parts } = row.measured;
  if (candidate === null)
    return parts.filter(({ call, resultTokens }) => call !== null && resultTokens > STUB_TOKENS);
  if (candidate.dropReason !== "spent") return [];
  return parts.filter((_, index) => row.message.parts[index]?.id === candidate.partId);
}

function computeExpectedCost(
  { resultTokens, call }: PartFacts,
  calls: number,
  left: number,
  { read, write }: CacheRates,
): number {
  const ofKind = call?.subject.kind === "run" ? REUSE_MODEL.ofRuns : 1;
  const ofSize = (resultTokens / REUSE_MODEL.usualTokens) ** REUSE_MODEL.growth;
  const chance = (REUSE_MODEL.chance * ofKind * ofSize) / (1 + calls / REUSE_MODEL.fadingCalls);
  return Math.min(1, chance) * (write * resultTokens + read * left);
}
