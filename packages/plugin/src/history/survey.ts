// What a boundary has to decide on: what is sent, measured, and what of it can go.
import type { Entry } from "../projection/entry.ts";
import { type HostMessage, isFile, isText, shows } from "../projection/message.ts";
import type { Watermark } from "../projection/position.ts";
import type { Room } from "../projection/room.ts";
import { type Candidate, candidates, isDead } from "./candidates.ts";
import { NOTHING_AHEAD, type Step } from "./rent.ts";
import type { HistorySettings } from "./settings.ts";
import { blocksOf, callsBeyond, isAnswer, type Row, type Sheet, sheetOf } from "./sheet.ts";
import type { WrittenSegment } from "./written.ts";

/** Of the call that is about to be made. */
export interface HistoryInput {
  /** The host's. */
  readonly messages: readonly HostMessage[];
  /** As they are sent if nothing is decided. */
  readonly projected: readonly HostMessage[];
  readonly standing: readonly Entry[];
  readonly watermark: Watermark | null;
  readonly claims: ReadonlySet<string>;
  readonly room: Room;
  /** What a model wrote of them, the newest writing first; much of it may not stand any more. */
  readonly written: readonly WrittenSegment[];
}

export interface Survey {
  readonly input: HistoryInput;
  readonly settings: HistorySettings;
  readonly sheet: Sheet;
  readonly keepTokens: number;
  /** Indices in the host's array; -1: there is none. */
  readonly promptIndex: number;
  readonly answerIndex: number;
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
  const place = { sheet, keepTokens, promptIndex, answerIndex };
  const found = candidates({ ...place, claims, settings });
  return { input, settings, sheet, keepTokens, promptIndex, answerIndex, candidates: found };
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
  readonly row: number;
  readonly candidate: Candidate | null;
}

/** What is sent, part by part. A row of which a share goes with a fold is one piece. */
export function piecesOf(
  survey: Survey,
  folded: { readonly has: (row: number) => boolean; readonly share: (row: Row) => number },
): readonly Piece[] {
  const { sheet, input } = survey;
  return sheet.rows.flatMap((row, index) => {
    const sent = isSent(row, input.watermark) ? "sent" : "new";
    return folded.has(index)
      ? [foldedPiece(survey, row, index, { sent, share: folded.share(row) })]
      : ownPieces(survey, row, index, sent);
  });
}

function isSent(row: Row, watermark: Watermark | null): boolean {
  return watermark !== null && row.last <= watermark.index;
}

function foldedPiece(
  { sheet, keepTokens }: Survey,
  row: Row,
  index: number,
  { sent, share }: { readonly sent: Step["sent"]; readonly share: number },
): Piece {
  return {
    ...{ row: index, candidate: null, sent, tokens: row.tokens },
    blocks: blocksOf(row.message),
    saves: row.tokens * share,
    calls: callsBeyond(sheet, row.end, keepTokens),
    ahead: NOTHING_AHEAD,
  };
}

function ownPieces(
  { candidates: found }: Survey,
  row: Row,
  index: number,
  sent: Step["sent"],
): readonly Piece[] {
  let ahead = NOTHING_AHEAD;
  const parts = row.message.parts.map((part, place): Piece => {
    const candidate = found.get(part.id) ?? null;
    const tokens = row.measured.parts[place]?.tokens ?? 0;
    const blocks = blocksOf({ ...row.message, parts: [part] });
    const before = ahead;
    ahead = { tokens: before.tokens + tokens, blocks: before.blocks + blocks };
    return {
      ...{ row: index, candidate, sent, tokens, blocks, ahead: before },
      saves: candidate?.saves ?? 0,
      calls: candidate?.calls ?? 0,
    };
  });
  const frame = row.tokens - parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    {
      ...{ row: index, candidate: null, sent, tokens: frame, blocks: 0, saves: 0, calls: 0 },
      ahead: NOTHING_AHEAD,
    },
    ...parts,
  ];
}
