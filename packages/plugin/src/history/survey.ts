// Surveys what a boundary has to decide on: what is sent, measured, and what of it can be dropped.
import type { NextCall } from "../ledger/boundary-view.ts";
import { type HostMessage, isFile, isTyped, shows } from "../ledger/message.ts";
import type { Watermark } from "../ledger/position.ts";
import { type Candidate, type CandidateInput, isSuperseded } from "./candidate.ts";
import { candidates } from "./candidates.ts";
import { createKeptTest } from "./kept.ts";
import {
  callsBeyond,
  countBlocks,
  countPartBlocks,
  isAnswer,
  type MeasuredHistory,
  type MeasuredRow,
  measureHistory,
} from "./measured-history.ts";
import type { PieceCost } from "./rewrite-cost.ts";
import type { HistorySettings } from "./settings.ts";
import type { WrittenSegment } from "./written.ts";

/** The view of the call that is about to be made. */
export interface HistoryInput extends NextCall {
  /** Segments that a model wrote of its messages, the newest first; many may not stand any more. */
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
  return { ...surveyed, input, candidates: candidates(surveyed) };
}

type HistoryPosition = Pick<HistorySurvey, "sheet" | "promptIndex" | "answerIndex">;

/** Measures what a call sends, once for all questions about it. */
export function sheetIn(input: HistoryInput, settings: HistorySettings): MeasuredHistory {
  return observeHistory(input, settings).sheet;
}

/** Caches by call, as several lengths of tail are tried. */
const sights = new WeakMap<HistoryInput, HistoryPosition>();

function observeHistory(input: HistoryInput, { measure }: HistorySettings): HistoryPosition {
  const known = sights.get(input);
  if (known) return known;
  const { messages } = input;
  const sight = {
    sheet: measureHistory(input, measure),
    promptIndex: newestPrompt(messages),
    answerIndex: messages.findLastIndex(isAnswer),
  };
  sights.set(input, sight);
  return sight;
}

/** Returns the survey with only superseded results as candidates. */
export function supersededDrops(survey: HistorySurvey): HistorySurvey {
  const dead = [...survey.candidates].filter(([, candidate]) => isSuperseded(candidate));
  return { ...survey, candidates: new Map(dead) };
}

/** Finds the newest prompt that a person wrote; where nobody did, the user's newest message. */
function newestPrompt(messages: readonly HostMessage[]): number {
  const written = messages.findLastIndex(
    ({ info, parts }) =>
      info.role === "user" && parts.some((part) => isTyped(part) || (isFile(part) && shows(part))),
  );
  return written >= 0 ? written : messages.findLastIndex(({ info }) => info.role === "user");
}

/** A piece of what is sent, with the candidate that is dropped with it. */
export interface CandidateStep extends PieceCost {
  readonly row: MeasuredRow;
  readonly candidate: Candidate | null;
}

/** Returns the share of a row that a fold spares; null: the row stays. */
export type FoldedShare = (row: MeasuredRow) => number | null;

/** Splits what is sent into parts. A row that is folded, or that stays whole, is one piece. */
export function splitIntoPieces(
  survey: HistorySurvey,
  foldedShare: FoldedShare,
): readonly CandidateStep[] {
  const own = ownPieces(survey);
  const pieces: CandidateStep[] = [];
  for (const row of survey.sheet.rows) {
    const share = foldedShare(row);
    if (share === null) pieces.push(...own(row));
    else pieces.push(wholePiece(survey, row, row.tokens * share));
  }
  return pieces;
}

function isSent(row: MeasuredRow, watermark: Watermark | null): boolean {
  return watermark !== null && row.last <= watermark.index;
}

function wholePiece(
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
    calls: callsBeyond(sheet, row.end, keepTokens),
    aheadTokens: 0,
    aheadBlocks: 0,
  };
}

/** Caches by a call's candidates: each rewrite that is considered needs the pieces of rows that stay. */
const remembered = new WeakMap<
  HistorySurvey["candidates"],
  Map<MeasuredRow, readonly CandidateStep[]>
>();

function ownPieces(survey: HistorySurvey): (row: MeasuredRow) => readonly CandidateStep[] {
  const rows =
    remembered.get(survey.candidates) ?? new Map<MeasuredRow, readonly CandidateStep[]>();
  remembered.set(survey.candidates, rows);
  return (row) => {
    const pieces = rows.get(row) ?? piecesByPart(survey, row);
    rows.set(row, pieces);
    return pieces;
  };
}

function piecesByPart(
  { candidates: found, input }: HistorySurvey,
  row: MeasuredRow,
): readonly CandidateStep[] {
  const sent = isSent(row, input.watermark) ? "sent" : "new";
  const { message } = row;
  if (!message.parts.some(({ id }) => found.has(id)))
    return [stays({ row, sent, tokens: row.tokens, blocks: countBlocks(message) })];
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
  // The tokens of a message besides its parts.
  return [stays({ row, sent, tokens: row.tokens - aheadTokens, blocks: 0 }), ...pieces];
}

function stays({
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
