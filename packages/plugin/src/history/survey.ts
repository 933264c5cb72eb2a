// What a boundary has to decide on: what is sent, measured, and what of it can go.
import type { NextCall } from "../policies/view.ts";
import { type HostMessage, isFile, isTyped, shows } from "../projection/message.ts";
import type { Watermark } from "../projection/position.ts";
import { type Candidate, type CandidateInput, isDead } from "./candidate.ts";
import { candidates } from "./candidates.ts";
import { keeper } from "./kept.ts";
import type { PieceCost } from "./rent.ts";
import type { HistorySettings } from "./settings.ts";
import {
  blocksOf,
  blocksOfPart,
  callsBeyond,
  isAnswer,
  type Row,
  type Sheet,
  sheetOf,
} from "./sheet.ts";
import type { WrittenSegment } from "./written.ts";

/** Of the call that is about to be made. */
export interface HistoryInput extends NextCall {
  /** What a model wrote of its messages, the newest writing first; much of it may not stand any more. */
  readonly written: readonly WrittenSegment[];
  /** Ids of parts that are kept by their ref: they are sent as the host has them. */
  readonly kept: ReadonlySet<string>;
}

export interface Survey extends CandidateInput {
  readonly input: HistoryInput;
  /** By part id. */
  readonly candidates: ReadonlyMap<string, Candidate>;
}

export function surveyOf(
  input: HistoryInput,
  settings: HistorySettings,
  keepTokens: number,
): Survey {
  const { claims, space } = input;
  const { usableTokens } = space;
  const isKept = keeper(input.kept, settings);
  const sight = sightOf(input, settings);
  const surveyed = { ...sight, keepTokens, claims, isKept, settings, usableTokens };
  return { ...surveyed, input, candidates: candidates(surveyed) };
}

type Sight = Pick<Survey, "sheet" | "promptIndex" | "answerIndex">;

/** What is sent in a call, measured once for all that is asked of it. */
export function sheetIn(input: HistoryInput, settings: HistorySettings): Sheet {
  return sightOf(input, settings).sheet;
}

/** By call: each is looked at with several tails. */
const sights = new WeakMap<HistoryInput, Sight>();

function sightOf(input: HistoryInput, { measure }: HistorySettings): Sight {
  const known = sights.get(input);
  if (known) return known;
  const { messages } = input;
  const sight = {
    sheet: sheetOf(input, measure),
    promptIndex: newestPrompt(messages),
    answerIndex: messages.findLastIndex(isAnswer),
  };
  sights.set(input, sight);
  return sight;
}

/** The same where only what is dead may go. */
export function ofTheDead(survey: Survey): Survey {
  const dead = [...survey.candidates].filter(([, candidate]) => isDead(candidate));
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
export interface Piece extends PieceCost {
  readonly row: Row;
  readonly candidate: Candidate | null;
}

/** The share of a row that a fold spares; null: the row stays. */
export type FoldedShare = (row: Row) => number | null;

/** What is sent, part by part. A row that goes with a fold, or that stays whole, is one piece. */
export function piecesOf(survey: Survey, shareOf: FoldedShare): readonly Piece[] {
  const own = ownPieces(survey);
  const pieces: Piece[] = [];
  for (const row of survey.sheet.rows) {
    const share = shareOf(row);
    if (share === null) pieces.push(...own(row));
    else pieces.push(wholePiece(survey, row, row.tokens * share));
  }
  return pieces;
}

function isSent(row: Row, watermark: Watermark | null): boolean {
  return watermark !== null && row.last <= watermark.index;
}

function wholePiece({ sheet, keepTokens, input }: Survey, row: Row, saves: number): Piece {
  return {
    row,
    candidate: null,
    sent: isSent(row, input.watermark) ? "sent" : "new",
    tokens: row.tokens,
    blocks: blocksOf(row.message),
    saves,
    calls: callsBeyond(sheet, row.end, keepTokens),
    aheadTokens: 0,
    aheadBlocks: 0,
  };
}

/** By what is known of a call: each rewrite that is thought of asks for those of the rows that stay. */
const remembered = new WeakMap<Survey["candidates"], Map<Row, readonly Piece[]>>();

function ownPieces(survey: Survey): (row: Row) => readonly Piece[] {
  const rows = remembered.get(survey.candidates) ?? new Map<Row, readonly Piece[]>();
  remembered.set(survey.candidates, rows);
  return (row) => {
    const pieces = rows.get(row) ?? piecesByPart(survey, row);
    rows.set(row, pieces);
    return pieces;
  };
}

function piecesByPart({ candidates: found, input }: Survey, row: Row): readonly Piece[] {
  const sent = isSent(row, input.watermark) ? "sent" : "new";
  const { message } = row;
  if (!message.parts.some(({ id }) => found.has(id)))
    return [stays({ row, sent, tokens: row.tokens, blocks: blocksOf(message) })];
  const pieces: Piece[] = [];
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
}: Pick<Piece, "row" | "sent" | "tokens" | "blocks">): Piece {
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
