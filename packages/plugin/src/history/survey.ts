// What a boundary has to decide on: what is sent, measured, and what of it can go.
import type { NextCall } from "../policies/view.ts";
import { type HostMessage, isFile, isText, shows } from "../projection/message.ts";
import type { Watermark } from "../projection/position.ts";
import { type Candidate, type CandidateInput, candidates, isDead } from "./candidates.ts";
import type { Step } from "./rent.ts";
import type { HistorySettings } from "./settings.ts";
import { blocksOf, blocksOfPart, callsBeyond, isAnswer, type Row, sheetOf } from "./sheet.ts";
import type { WrittenSegment } from "./written.ts";

/** Of the call that is about to be made. */
export interface HistoryInput extends NextCall {
  /** What a model wrote of its messages, the newest writing first; much of it may not stand any more. */
  readonly written: readonly WrittenSegment[];
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
  const sheet = sheetOf(input, settings.measure);
  const promptIndex = newestPrompt(input.messages);
  const answerIndex = input.messages.findLastIndex(isAnswer);
  const { claims } = input;
  const surveyed = { sheet, keepTokens, promptIndex, answerIndex, claims, settings };
  return { ...surveyed, input, candidates: candidates(surveyed) };
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
      info.role === "user" &&
      parts.some((part) =>
        isText(part) ? part.synthetic !== true && shows(part) : isFile(part) && shows(part),
      ),
  );
  return written >= 0 ? written : messages.findLastIndex(({ info }) => info.role === "user");
}

/** A step, and the candidate that goes with it. */
export interface Piece extends Step {
  readonly row: Row;
  readonly candidate: Candidate | null;
}

/** The share of a row that a fold spares; null: the row stays. */
export type FoldedShare = (row: Row) => number | null;

/** What a message takes besides its parts. */
const BARE = {
  candidate: null,
  blocks: 0,
  saves: 0,
  calls: 0,
  aheadTokens: 0,
  aheadBlocks: 0,
} as const;

/** What is sent, part by part. A row that goes with a fold is one piece. */
export function piecesOf(survey: Survey, shareOf: FoldedShare): readonly Piece[] {
  const { sheet, keepTokens, input } = survey;
  return sheet.rows.flatMap((row) => {
    const sent = isSent(row, input.watermark) ? "sent" : "new";
    const share = shareOf(row);
    if (share === null) return ownPieces(survey, row, sent);
    const calls = callsBeyond(sheet, row.end, keepTokens);
    const own = { row, sent, tokens: row.tokens, blocks: blocksOf(row.message) } as const;
    return [{ ...BARE, ...own, saves: row.tokens * share, calls }];
  });
}

function isSent(row: Row, watermark: Watermark | null): boolean {
  return watermark !== null && row.last <= watermark.index;
}

function ownPieces({ candidates: found }: Survey, row: Row, sent: Step["sent"]): readonly Piece[] {
  const pieces: Piece[] = [];
  let [aheadTokens, aheadBlocks] = [0, 0];
  for (const [place, part] of row.message.parts.entries()) {
    const candidate = found.get(part.id) ?? null;
    const tokens = row.measured.parts[place]?.tokens ?? 0;
    const blocks = blocksOfPart(part);
    const saves = candidate?.saves ?? 0;
    const calls = candidate?.calls ?? 0;
    pieces.push({
      row,
      candidate,
      sent,
      tokens,
      blocks,
      saves,
      calls,
      aheadTokens,
      aheadBlocks,
    });
    aheadTokens += tokens;
    aheadBlocks += blocks;
  }
  const frame = { ...BARE, row, sent, tokens: row.tokens - aheadTokens };
  return [frame, ...pieces];
}
