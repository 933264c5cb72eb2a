// Chooses the messages that the model is given next.
import { toFields } from "../../context/fields.ts";
import { findNewestStart } from "../../history/tail.ts";
import type { IndexRange } from "../../history/work.ts";
import { asksForCompaction, type HostMessage } from "../../ledger/message.ts";
import { estimateHistoryTokens, estimateMessageTokens } from "../../ledger/tokens.ts";

export interface BatchInput {
  /** The host's messages. */
  readonly messages: readonly HostMessage[];
  /** The index of the first message that no segment covers. */
  readonly from: number;
  /** The newest history of this size is left alone. */
  readonly keepTokens: number;
  /** A batch ends with the turn in which it reaches this size. */
  readonly batchTokens: number;
  /** The size below which messages don't make a batch yet. */
  readonly leastTokens: number;
}

/** A batch whose turn does not end is cut at this many times `batchTokens`. */
const MAX_BATCH_FACTOR = 2;

interface NextBatch extends IndexRange {
  /** The size of everything that no segment covers, up to the tail. */
  readonly unsaidTokens: number;
}

/** Returns null if there are not enough messages for a batch yet. */
export function findNextBatch(input: BatchInput): NextBatch | null {
  const { messages, leastTokens, keepTokens } = input;
  // The index of the last message before the tail.
  const end = findNewestStart(messages, keepTokens, estimateMessageTokens) - 1;
  // The newest prompt stays verbatim in its place: no segment covers it.
  const prompt = messages.findLastIndex(({ info }) => info.role === "user");
  for (const stretch of splitAroundPrompt({ first: input.from, last: end }, prompt)) {
    const { first, last } = cutBatch(input, stretch);
    if (estimateHistoryTokens(messages.slice(first, last + 1)) < leastTokens) continue;
    return {
      first,
      last,
      unsaidTokens: estimateHistoryTokens(messages.slice(input.from, end + 1)),
    };
  }
  return null;
}

function cutBatch(
  { messages, batchTokens, leastTokens }: BatchInput,
  { first, last }: IndexRange,
): IndexRange {
  let tokens = 0;
  let turnEnd: number | null = null;
  for (let index = first; index <= last; index++) {
    const message = messages[index];
    if (message) tokens += estimateMessageTokens(message);
    if (endsTurn(messages, index) && tokens >= leastTokens) turnEnd = index;
    const isWhole = turnEnd === index && tokens >= batchTokens;
    if (isWhole || tokens >= MAX_BATCH_FACTOR * batchTokens) return { first, last: index };
  }
  return { first, last: tokens < batchTokens ? (turnEnd ?? last) : last };
}

/** Returns true if the next message begins another turn. */
export function endsTurn(messages: readonly HostMessage[], index: number): boolean {
  return messages[index + 1]?.info.role === "user";
}

/** Splits a range at the user's newest prompt, which stays in its place. */
function splitAroundPrompt(
  { first, last }: IndexRange,
  promptIndex: number,
): readonly IndexRange[] {
  if (promptIndex < first || promptIndex > last) return first <= last ? [{ first, last }] : [];
  return [
    { first, last: promptIndex - 1 },
    { first: promptIndex + 1, last },
  ].filter((stretch) => stretch.first <= stretch.last);
}

/**
 * Returns the part of a session's whole history that the model still gets: from its newest finished compaction on.
 */
export function sliceSinceCompaction(messages: readonly HostMessage[]): readonly HostMessage[] {
  const summaries = new Set(messages.flatMap(({ info }) => listCompactionIds(info)));
  const from = messages.findLastIndex(
    ({ info, parts }) => summaries.has(info.id) && asksForCompaction({ parts }),
  );
  return from < 0 ? messages : messages.slice(from);
}

/** Returns the id of the compaction whose finished summary this message is. */
function listCompactionIds(info: object): readonly string[] {
  const { summary, finish, error, parentID } = toFields(info);
  const isDone = summary === true && finish !== undefined && error === undefined;
  return isDone && typeof parentID === "string" ? [parentID] : [];
}
