// Finds the work of a conversation, stretch by stretch: what lies between its words.
import type { EditOf } from "../ledger/edit.ts";
import { type HostMessage, isSent, isTool, type ToolPart } from "../ledger/message.ts";
import { deriveRef } from "../ledger/ref.ts";
import type { MeasureMessage } from "./measured-history.ts";
import { isDialogue } from "./results.ts";

/** A range of indices in the host's array, both included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** Returns true if a fold leaves the message where it stands. */
export type KeepPredicate = (message: HostMessage) => boolean;

interface Conversation {
  readonly messages: readonly HostMessage[];
  readonly stays: KeepPredicate;
}

/**
 * Splits a range into stretches without the messages that stay: the conversation's words, and kept messages.
 * If a turn ended without an answer, or the user spoke in the middle of it, the last of its work stays too,
 * as otherwise two of his messages would follow each other.
 */
export function listWork(
  messages: readonly HostMessage[],
  { first, last }: IndexRange,
  stays: KeepPredicate = isDialogue,
): readonly IndexRange[] {
  const stretches: IndexRange[] = [];
  let from = first;
  for (let index = first; index <= last + 1; index++) {
    const message = messages[index];
    if (index <= last && message && !stays(message)) continue;
    const end = findWorkEnd({ messages, stays }, from, index);
    if (from <= end) stretches.push({ first: from, last: end });
    from = index + 1;
  }
  return stretches;
}

/** Counts the tokens of a conversation, not including its words. */
export function countWorkTokens(messages: readonly HostMessage[], measure: MeasureMessage): number {
  return messages.reduce(
    (sum, message) => (isDialogue(message) ? sum : sum + measure(message).tokens),
    0,
  );
}

/** Trims the words at a range's ends, as a segment may have been written for a whole turn. */
export function trimDialogueEnds(
  messages: readonly HostMessage[],
  { first, last }: IndexRange,
): IndexRange {
  let [from, to] = [first, last];
  while (from <= to && isDialogueAt(messages, from)) from += 1;
  while (to >= from && isDialogueAt(messages, to)) to -= 1;
  return { first: from, last: to };
}

/** Finds the end of the work that may be folded before `next`. Messages that show nothing separate nothing. */
function findWorkEnd({ messages, stays }: Conversation, from: number, next: number): number {
  const isUserMessageAt = (at: number) => messages[at]?.info.role === "user";
  // Earlier work may already have a record while the work after it still stands.
  const isBetween =
    isUserMessageAt(findKeptBefore({ messages, stays }, from)) &&
    isUserMessageAt(findSentFrom(messages, next));
  return isBetween ? findSentBefore(messages, next) - 1 : next - 1;
}

function findKeptBefore({ messages, stays }: Conversation, index: number): number {
  const staysAt = (at: number) => {
    const message = messages[at];
    return message !== undefined && stays(message);
  };
  let at = index - 1;
  while (at >= 0 && !staysAt(at)) at -= 1;
  return at;
}

/** Uses loops and no search, as there are thousands of messages and many stretches. */
function findSentBefore(messages: readonly HostMessage[], index: number): number {
  let at = index - 1;
  while (at >= 0 && !isSentAt(messages, at)) at -= 1;
  return at;
}

function findSentFrom(messages: readonly HostMessage[], index: number): number {
  let at = index;
  while (at < messages.length && !isSentAt(messages, at)) at += 1;
  return at;
}

function isDialogueAt(messages: readonly HostMessage[], at: number): boolean {
  const message = messages[at];
  return message !== undefined && isDialogue(message);
}

function isSentAt(messages: readonly HostMessage[], at: number): boolean {
  const message = messages[at];
  return message !== undefined && isSent(message);
}

// Joins records to the prompt, after earlier records, if their work follows a kept call of the same turn.

/**
 * Returns the record's first line, which says that its work came after the kept call; empty if there is no
 * such call. A record between two answers would be a user message after a result, which some models'
 * templates refuse.
 */
export function renderCallLine(
  messages: readonly HostMessage[],
  stretch: IndexRange,
): readonly string[] {
  const call = findCallBefore(messages, stretch);
  return call ? [`After the call that stands below as it was (${deriveRef("r", call.id)}):`] : [];
}

export function foldEdit(
  messages: readonly HostMessage[],
  stretch: IndexRange,
  text: string,
): EditOf<"fold"> {
  const getIdAt = (index: number) => messages[index]?.info.id ?? "";
  const edit = {
    verb: "fold",
    first: getIdAt(stretch.first),
    last: getIdAt(stretch.last),
    text,
  } as const;
  return findCallBefore(messages, stretch) ? { ...edit, joins: "prompt" } : edit;
}

function findCallBefore(
  messages: readonly HostMessage[],
  { first }: IndexRange,
): ToolPart | undefined {
  let at = first - 1;
  for (let message = messages[at]; message && !isSent(message); message = messages[at]) at -= 1;
  const before = messages[at];
  return before?.info.role === "assistant" ? before.parts.findLast(isTool) : undefined;
}
