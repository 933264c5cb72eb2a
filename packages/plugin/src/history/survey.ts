// What a boundary has to decide on: what is sent, measured, and what of it can go.
import type { NextCall } from "../ledger/boundary-view.ts";
import { type HostMessage, isFile, isTyped, shows } from "../ledger/message.ts";
import type { Watermark } from "../ledger/position.ts";
import { type Candidate, type CandidateInput, isSuperseded } from "./candidate.ts";
import { candidates } from "./candidates.ts";
import { keeper } from "./kept.ts";
import {
  blocksOfPart,
  callsBeyond,
  countBlocks,
  isAnswer,
  type MeasuredHistory,
  type MeasuredRow,
  measureHistory,
} from "./measured-history.ts";
import type { PieceCost } from "./rewrite-cost.ts";
import type { HistorySettings } from "./settings.ts";
import type { WrittenSegment } from "./written.ts";

/** Of the call that is about to be made. */
export interface HistoryInput extends NextCall {
  /** What a model wrote of its messages, the newest writing first; much of it may not stand any more. */
  readonly written: readonly WrittenSegment[];
  /** Ids of parts that are kept by their ref: they are sent as the host has them. */
  readonly kept: ReadonlySet<string>;
}

export interface HistorySurvey extends CandidateInput {
  readonly input: HistoryInput;
  /** By part id. */
  readonly candidates: ReadonlyMap<string, Candidate>;
}

export function surveyHistory(
  input: HistoryInput,
  settings: HistorySettings,
  keepTokens: number,
): HistorySurvey {
  const { claims, space } = input;
  const { usableTokens } = space;
  const isKept = keeper(input.kept, settings);
  const sight = observeHistory(input, settings);
  const surveyed = { ...sight, keepTokens, claims, isKept, settings, usableTokens };
  return { ...surveyed, input, candidates: candidates(surveyed) };
}

type HistoryPosition = Pick<HistorySurvey, "sheet" | "promptIndex" | "answerIndex">;

/** What is sent in a call, measured once for all that is asked of it. */
export function sheetIn(input: HistoryInput, settings: HistorySettings): MeasuredHistory {
  return observeHistory(input, settings).sheet;
}

/** By call: each is looked at with several tails. */
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

/** The same where only what is dead may go. */
export function supersededDrops(survey: HistorySurvey): HistorySurvey {
  const dead = [...survey.candidates].filter(([, candidate]) => isSuperseded(candidate));
  return { ...survey, candidates: new Map(dead) };
}

/** What a person wrote last; where nobody did, the newest message of the user's. */
function newestPrompt(messages: readonly HostMessage[]): number {
  const written = messages.findLastIndex(
    ({ info, parts }) =>
      info.role === "user" && parts.some((part) => isTyped(part) || (isFile(part) && shows(part))),
  );
  return written >= 0 ? written : messages.findLastIndex(({ info }) => info.role === "user");
}

/** A step, and the candidate that goes with it. */
export interface CandidateStep extends PieceCost {
  readonly row: MeasuredRow;
  readonly candidate: Candidate | null;
}

/** The share of a row that a fold spares; null: the row stays. */
export type FoldedShare = (row: MeasuredRow) => number | null;

/** What is sent, part by part. A row that goes with a fold, or that stays whole, is one piece. */
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

/** By what is known of a call: each rewrite that is thought of asks for those of the rows that stay. */
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
    const blocks = blocksOfPart(part);
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
  // What a message takes besides its parts.
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
