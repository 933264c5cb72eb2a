// The work of a conversation: what lies between its words, stretch by stretch.
import { type HostMessage, isSent } from "../ledger/message.ts";
import type { MeasureMessage } from "./measure.ts";
import { isSaid } from "./message-words.ts";

/** Indices in the host's array, both included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** Whether a fold leaves a message where it stands. */
export type KeepPredicate = (message: HostMessage) => boolean;

interface Conversation {
  readonly messages: readonly HostMessage[];
  readonly stays: KeepPredicate;
}

/**
 * A range without what stays in it: what was said, and what is kept. Where a turn ended without an answer, or the user spoke in the middle
 * of it, the last of the work stays: his messages would follow each other.
 */
export function workIn(
  messages: readonly HostMessage[],
  { first, last }: IndexRange,
  stays: KeepPredicate = isSaid,
): readonly IndexRange[] {
  const stretches: IndexRange[] = [];
  let from = first;
  for (let index = first; index <= last + 1; index++) {
    const message = messages[index];
    if (index <= last && message && !stays(message)) continue;
    const end = endOfWork({ messages, stays }, from, index);
    if (from <= end) stretches.push({ first: from, last: end });
    from = index + 1;
  }
  return stretches;
}

/** What a conversation takes without its words. */
export function workTokens(messages: readonly HostMessage[], measure: MeasureMessage): number {
  return messages.reduce(
    (sum, message) => (isSaid(message) ? sum : sum + measure(message).tokens),
    0,
  );
}

/** A range without the words at its ends: a segment may be written of a whole turn. */
export function withoutSaidEnds(
  messages: readonly HostMessage[],
  { first, last }: IndexRange,
): IndexRange {
  let [from, to] = [first, last];
  while (from <= to && isSaidAt(messages, from)) from += 1;
  while (to >= from && isSaidAt(messages, to)) to -= 1;
  return { first: from, last: to };
}

/** The last of the work from here up to the message at `next` that may go; what shows nothing parts nobody. */
function endOfWork({ messages, stays }: Conversation, from: number, next: number): number {
  const isUsers = (at: number) => messages[at]?.info.role === "user";
  // Work before it may have a record already, while work after it stands.
  const isBetween =
    isUsers(findStayingBefore({ messages, stays }, from)) && isUsers(sentFrom(messages, next));
  return isBetween ? findSentBefore(messages, next) - 1 : next - 1;
}

function findStayingBefore({ messages, stays }: Conversation, index: number): number {
  const staysAt = (at: number) => {
    const message = messages[at];
    return message !== undefined && stays(message);
  };
  let at = index - 1;
  while (at >= 0 && !staysAt(at)) at -= 1;
  return at;
}

/** Loops and no search from an end: there are thousands of messages, and many stretches. */
function findSentBefore(messages: readonly HostMessage[], index: number): number {
  let at = index - 1;
  while (at >= 0 && !isSentAt(messages, at)) at -= 1;
  return at;
}

function sentFrom(messages: readonly HostMessage[], index: number): number {
  let at = index;
  while (at < messages.length && !isSentAt(messages, at)) at += 1;
  return at;
}

function isSaidAt(messages: readonly HostMessage[], at: number): boolean {
  const message = messages[at];
  return message !== undefined && isSaid(message);
}

function isSentAt(messages: readonly HostMessage[], at: number): boolean {
  const message = messages[at];
  return message !== undefined && isSent(message);
}
