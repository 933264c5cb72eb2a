// Measures what is sent: each message with its size and place, and when calls saw it.
import { hashText } from "../context/canonical.ts";
import { cacheByMessage } from "../ledger/digest.ts";
import type { EditOf } from "../ledger/edit.ts";
import {
  type HostMessage,
  type HostPart,
  hasSentContent,
  isTool,
  type ToolPart,
} from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import {
  buildSyntheticMessageId,
  buildSyntheticPartId,
  isSyntheticMessage,
} from "../ledger/revise.ts";
import { estimatePartTokens, estimateResultTokens, FRAME_TOKENS } from "../ledger/tokens.ts";
import { buildCallKey, classifySubject, type Subject } from "./subject.ts";

// Measures each part (its size, and what its call is about) and caches the measurement between calls.

export interface PartFacts {
  readonly tokens: number;
  /** The tokens of a tool call's result; 0 for any other part. */
  readonly resultTokens: number;
  readonly call: CallFacts | null;
}

interface CallFacts {
  readonly subject: Subject;
  /** A key that is equal for calls of one tool with equal arguments. */
  readonly key: string;
}

export interface MessageMeasure {
  /** The tokens of the whole message. */
  readonly tokens: number;
  /** One entry for each part of the message, in order. */
  readonly parts: readonly PartFacts[];
}

export type MeasureMessage = (message: HostMessage) => MessageMeasure;

/** Measures with a cache, as most of a history is the same as in the previous call. */
export function createCachedMeasure(): MeasureMessage {
  return cacheByMessage(measureParts);
}

export function measureParts({ parts }: HostMessage): MessageMeasure {
  const facts = parts.map(measureFacts);
  return { tokens: facts.reduce((sum, { tokens }) => sum + tokens, FRAME_TOKENS), parts: facts };
}

export function measureFacts(part: HostPart): PartFacts {
  const call = isTool(part) ? toCallFacts(part) : null;
  return { tokens: estimatePartTokens(part), resultTokens: estimateResultTokens(part), call };
}

export function toCallFacts(part: ToolPart): CallFacts {
  return { subject: classifySubject(part), key: shortenKey(buildCallKey(part)) };
}

const MAX_KEY_CHARS = 256;

/** Hashes long keys, as a call's arguments may hold a whole file. */
function shortenKey(key: string): string {
  return key.length > MAX_KEY_CHARS ? hashText(key) : key;
}

/** A message as it is sent, with its measurement. */
export interface MeasuredRow {
  readonly message: HostMessage;
  /** The indices, in the host's array, of the first and last message that the row stands for. */
  readonly first: number;
  readonly last: number;
  readonly kind: "own" | "fold" | "insert";
  readonly measured: MessageMeasure;
  readonly tokens: number;
  /** The tokens of all messages up to and including this row. */
  readonly end: number;
}

/** Matches a row that is folded already. */
export function isFoldedRow({ kind }: MeasuredRow): boolean {
  return kind === "fold";
}

/** Sums the tokens of rows as they are sent. */
export function sumRowTokens(rows: readonly MeasuredRow[]): number {
  return rows.reduce((sum, { tokens }) => sum + tokens, 0);
}

export interface MeasuredHistory {
  readonly rows: readonly MeasuredRow[];
  readonly totalTokens: number;
  /** For each answer among the rows, in order, the tokens that stood before it in its call. */
  readonly callStarts: readonly number[];
  /** For each answer among the rows, in order, its index in the host's array. */
  readonly callPlaces: readonly number[];
}

export function measureHistory(
  { messages, projected, standing }: Pick<NextCall, "messages" | "projected" | "standing">,
  measure: MeasureMessage,
): MeasuredHistory {
  const indexById = createIndexLookup(messages);
  const folds = new Map(
    standing.flatMap(({ seq, edit }) =>
      edit?.verb === "fold" ? [[buildSyntheticPartId(seq), { seq, edit }] as const] : [],
    ),
  );
  let end = 0;
  let place = 0;
  const rows: MeasuredRow[] = [];
  const add = (
    { piece: message, frame }: MessagePiece,
    at: Pick<MeasuredRow, "kind" | "first" | "last">,
  ) => {
    const measured = measure(message);
    const tokens = measured.tokens - (frame === "shared" ? FRAME_TOKENS : 0);
    end += tokens;
    rows.push({ ...at, message, measured, tokens, end });
  };
  for (const message of projected) {
    for (const apart of splitMessage(message, folds)) {
      const { piece, edit } = apart;
      if (edit === null) {
        const own = isSyntheticMessage(piece) ? undefined : indexById(piece.info.id);
        place = own ?? place;
        add(apart, { kind: own === undefined ? "insert" : "own", first: place, last: place });
      } else {
        const first = indexById(edit.first) ?? place;
        place = indexById(edit.last) ?? place;
        add(apart, { kind: "fold", first, last: place });
      }
    }
  }
  const answers = rows.filter(({ kind, message }) => kind === "own" && isAnswer(message));
  return {
    rows,
    totalTokens: end,
    callStarts: answers.map((row) => row.end - row.tokens),
    callPlaces: answers.map(({ first }) => first),
  };
}

type FoldEdits = ReadonlyMap<string, { readonly seq: number; readonly edit: EditOf<"fold"> }>;

/** One part of a message that is measured by itself: a record, or the rest, which has no edit. */
interface MessagePiece {
  readonly piece: HostMessage;
  readonly edit: EditOf<"fold"> | null;
  /** `own` for the first piece of a message, which counts the message's frame. */
  readonly frame: "own" | "shared";
}

/** Splits a message into its pieces, in the order in which they are sent. */
function splitMessage(message: HostMessage, folds: FoldEdits): readonly MessagePiece[] {
  const { info, parts } = message;
  if (!parts.some(({ id }) => folds.has(id))) return [{ piece: message, edit: null, frame: "own" }];
  const rest = parts.filter(({ id }) => !folds.has(id));
  return parts.flatMap((part, at): readonly MessagePiece[] => {
    const frame = at === 0 ? "own" : "shared";
    const fold = folds.get(part.id);
    if (!fold) return part === rest[0] ? [{ piece: { info, parts: rest }, edit: null, frame }] : [];
    const { seq, edit } = fold;
    return [
      {
        piece: { info: { ...info, id: buildSyntheticMessageId(seq) }, parts: [part] },
        edit,
        frame,
      },
    ];
  });
}

/**
 * Finds the indices of messages that are requested in order. Building a map of the thousands that are folded
 * would take longer than all look-ups. Searches from both ends, as a fold ends near the end of the history.
 */
function createIndexLookup(messages: readonly HostMessage[]): (id: string) => number | undefined {
  let next = 0;
  const advanceTo = (index: number) => {
    next = index;
    return index;
  };
  return (id) => {
    for (let low = next, high = messages.length - 1; low <= high; low++, high--) {
      if (messages[low]?.info.id === id) return advanceTo(low);
      if (messages[high]?.info.id === id) return advanceTo(high);
    }
    return undefined;
  };
}

export function isAnswer({ info }: HostMessage): boolean {
  return info.role === "assistant";
}

/** Counts the calls that were made with at least this many tokens after this end. */
export function countCallsBeyond(
  { callStarts }: MeasuredHistory,
  end: number,
  tokens: number,
): number {
  return callStarts.length - findFirstIndex(callStarts, end + tokens);
}

/** Counts the calls that were made after the message at this index of the host's array. */
export function countCallsAfter({ callPlaces }: MeasuredHistory, place: number): number {
  return callPlaces.length - findFirstIndex(callPlaces, place + 1);
}

/** Finds, in ascending values, the first index whose value is not below `least`. */
function findFirstIndex(values: readonly number[], least: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Estimates how many content blocks the provider sees in a message. */
export function countBlocks({ parts }: HostMessage): number {
  return parts.reduce((sum, part) => sum + countPartBlocks(part), 0);
}

export function countPartBlocks(part: HostPart): number {
  if (isTool(part)) return 2;
  return part.type === "reasoning" || hasSentContent(part) ? 1 : 0;
}
