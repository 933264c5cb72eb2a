// Which messages are given to the model next.
import { toFields } from "../../context/fields.ts";
import { startOfNewest } from "../../history/tail.ts";
import type { IndexRange } from "../../history/work.ts";
import { asksForCompaction, type HostMessage } from "../../ledger/message.ts";
import { historyTokens, messageTokens } from "../../ledger/tokens.ts";

export interface BatchInput {
  /** The host's. */
  readonly messages: readonly HostMessage[];
  /** Index of the first message that no segment says. */
  readonly from: number;
  /** So much of the newest history is left alone. */
  readonly keepTokens: number;
  /** A batch ends with the turn in which it reaches so many. */
  readonly batchTokens: number;
  /** With fewer there is none yet. */
  readonly leastTokens: number;
}

/** A batch whose turn does not end ends at so many times its size. */
const MAX_TIMES = 2;

interface NextBatch extends IndexRange {
  /** Of all that no segment says, up to the tail. */
  readonly unsaidTokens: number;
}

/** Null: there is not enough yet. */
export function nextBatch(input: BatchInput): NextBatch | null {
  const { messages, leastTokens, keepTokens } = input;
  // The last message that has the tail after it.
  const end = startOfNewest(messages, keepTokens, messageTokens) - 1;
  // The newest prompt stays verbatim where it stands: no segment reaches over it.
  const prompt = messages.findLastIndex(({ info }) => info.role === "user");
  for (const stretch of around({ first: input.from, last: end }, prompt)) {
    const { first, last } = cut(input, stretch);
    if (historyTokens(messages.slice(first, last + 1)) < leastTokens) continue;
    return { first, last, unsaidTokens: historyTokens(messages.slice(input.from, end + 1)) };
  }
  return null;
}

function cut(
  { messages, batchTokens, leastTokens }: BatchInput,
  { first, last }: IndexRange,
): IndexRange {
  let tokens = 0;
  let turnEnd: number | null = null;
  for (let index = first; index <= last; index++) {
    const message = messages[index];
    if (message) tokens += messageTokens(message);
    if (endsTurn(messages, index) && tokens >= leastTokens) turnEnd = index;
    const isWhole = turnEnd === index && tokens >= batchTokens;
    if (isWhole || tokens >= MAX_TIMES * batchTokens) return { first, last: index };
  }
  return { first, last: tokens < batchTokens ? (turnEnd ?? last) : last };
}

/** Whether the next message begins another turn. */
export function endsTurn(messages: readonly HostMessage[], index: number): boolean {
  return messages[index + 1]?.info.role === "user";
}

/** A range without the user's newest prompt, which stays where it stands. */
function around({ first, last }: IndexRange, promptIndex: number): readonly IndexRange[] {
  if (promptIndex < first || promptIndex > last) return first <= last ? [{ first, last }] : [];
  return [
    { first, last: promptIndex - 1 },
    { first: promptIndex + 1, last },
  ].filter((stretch) => stretch.first <= stretch.last);
}

/** What the model still gets of a session's whole history: from its newest finished compaction on. */
export function sinceCompaction(messages: readonly HostMessage[]): readonly HostMessage[] {
  const summaries = new Set(messages.flatMap(({ info }) => listCompactionIds(info)));
  const from = messages.findLastIndex(
    ({ info, parts }) => summaries.has(info.id) && asksForCompaction({ parts }),
  );
  return from < 0 ? messages : messages.slice(from);
}

/** The compaction that this message is the finished summary of. */
function listCompactionIds(info: object): readonly string[] {
  const { summary, finish, error, parentID } = toFields(info);
  const isDone = summary === true && finish !== undefined && error === undefined;
  return isDone && typeof parentID === "string" ? [parentID] : [];
}
