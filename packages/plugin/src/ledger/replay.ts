// Computes what is sent in one walk over the host's messages: `replay(edits, hostMessages)`.
// Folder: What is sent and what should change: edits, `replay(edits, hostMessages)`, and the policies that draft
// edits at a boundary; pure.
import type { DormancyReason, LedgerEdit, ReportDormancy } from "./edit.ts";
import { type EditPlan, type Fold, type LocalEdit, planEdits } from "./edit-plan.ts";
import { type Insert, insertParts } from "./insert-parts.ts";
import { type HostMessage, type HostPart, hasSentContent, isSent } from "./message.ts";
import {
  addToResult,
  buildSyntheticPartId,
  createSyntheticMessage,
  createSyntheticPart,
  isSyntheticMessage,
  type PartChange,
  type RankedText,
  type RevisedParts,
  revise,
} from "./revise.ts";

// Produces the planned messages in one walk over the host's messages.

/**
 * Returns the messages as planned. Runs of messages without edits are passed over as a whole, because each
 * call of a session has thousands of messages.
 */
function applyPlan(
  plan: EditPlan,
  messages: readonly HostMessage[],
  report: ReportDormancy,
): readonly HostMessage[] {
  const opening = messages.find(
    ({ info, parts }) => info.role === "user" && parts.some(hasSentContent),
  );
  const walk = new MessageWalk(messages);
  for (const stop of listStops(plan)) {
    if (stop.kind === "fold") {
      walk.fold(stop.fold);
      continue;
    }
    for (const message of walk.reach(stop.at)) {
      walk.revise(
        applyEdits(message, stop.edits, message === opening ? "opening" : "later", report),
      );
    }
  }
  const sent = walk.end();
  return equals(sent, messages) ? messages : sent;
}

type WalkStop =
  | { readonly kind: "fold"; readonly at: number; readonly fold: Fold }
  | { readonly kind: "edits"; readonly at: number; readonly edits: readonly LocalEdit[] };

function listStops({ folds, touched }: EditPlan): readonly WalkStop[] {
  const stops: readonly WalkStop[] = [
    ...folds.map((fold) => ({ kind: "fold", at: fold.first, fold }) as const),
    ...Array.from(touched, ([at, edits]) => ({ kind: "edits", at, edits }) as const),
  ];
  return stops.toSorted((left, right) => left.at - right.at);
}

/**
 * Walks over the messages once, and holds the texts that still need a place after the last message passed.
 */
class MessageWalk {
  readonly #sent: HostMessage[] = [];
  /** The index of the first message that has not been passed. */
  #at = 0;
  /** Inserts of an assistant's message that has no result for them. */
  #waiting: readonly Insert[] = [];
  /** Records that have no user's message before them, and so begin the user's message that follows. */
  #ahead: readonly RankedText[] = [];

  constructor(private readonly messages: readonly HostMessage[]) {}

  /** Passes over the messages before `index` and returns the one there, as a list; empty at the end. */
  reach(index: number): readonly HostMessage[] {
    while (this.#waiting.length > 0 && this.#at < index) {
      for (const message of this.messages.slice(this.#at, this.#at + 1)) {
        this.revise({ message, revised: message.parts, own: [] });
      }
    }
    this.#pass(index);
    return this.messages.slice(index, index + 1);
  }

  revise(revision: RevisedMessage): void {
    const { message } = revision;
    const { shown, left } =
      message.info.role === "user"
        ? createUserMessage(revision, this.#waiting)
        : toSentMessage(revision);
    if (shown && message.info.role !== "user" && isSent(shown)) this.#flushWaiting();
    if (shown) this.#push(shown);
    this.#at += 1;
    this.#waiting = message.info.role === "user" ? left : [...this.#waiting, ...left];
  }

  /**
   * Joins the record to the user's message before it, after the user's words: as a separate message it would
   * be the second user message in a row.
   */
  fold({ seq, first, last, text, joins }: Fold): void {
    this.reach(first);
    this.#flushWaiting();
    this.#at = last + 1;
    const at = joins === "prompt" ? this.#findPrompt(first) : this.#sent.findLastIndex(isSent);
    const before = this.#sent[at];
    if (before?.info.role === "user") this.#sent[at] = appendTexts(before, [{ seq, text }]);
    else this.#ahead = [...this.#ahead, { seq, text }];
  }

  /** Finds the prompt among what is sent; -1 if it is gone. A message with only inserts does not count. */
  #findPrompt(end: number): number {
    const prompt = this.messages.findLast((message, index) => index < end && isPrompt(message));
    return this.#sent.findLastIndex(
      (message) => message.info.id === prompt?.info.id && isSent(message),
    );
  }

  end(): readonly HostMessage[] {
    this.reach(this.messages.length);
    this.#flushWaiting();
    this.#flushAhead();
    return this.#sent;
  }

  #pass(end: number): void {
    for (const message of this.messages.slice(this.#at, end)) this.#push(message);
    this.#at = end;
  }

  #push(message: HostMessage): void {
    if (this.#ahead.length === 0 || !isSent(message)) {
      this.#sent.push(message);
    } else if (message.info.role === "user") {
      this.#sent.push(prependTexts(message, this.#ahead));
      this.#ahead = [];
    } else {
      this.#flushAhead();
      this.#sent.push(message);
    }
  }

  /** Puts records that stand between two answers into a separate message. */
  #flushAhead(): void {
    const [first, ...others] = this.#ahead;
    this.#ahead = [];
    if (first) this.#appendTexts([first, ...others]);
  }

  /** Places waiting inserts if no user's message follows that could begin with them. */
  #flushWaiting(): void {
    const [first, ...others] = this.#waiting.map(({ seq, edit }) => ({ seq, text: edit.text }));
    this.#waiting = [];
    if (!first) return;
    // Records that are also waiting come before the inserts.
    this.#flushAhead();
    const at = this.#sent.findLastIndex(isSent);
    const last = this.#sent[at];
    // The message that the inserts were to follow is not sent.
    if (last?.info.role === "user") this.#sent[at] = appendTexts(last, [first, ...others]);
    else this.#appendTexts([first, ...others]);
  }

  #appendTexts(texts: readonly [RankedText, ...RankedText[]]): void {
    // At least one message has been passed by now, and the texts come after it.
    const last = this.messages[this.#at - 1];
    const author = this.messages.findLast(
      ({ info }, index) => index < this.#at && info.role === "user",
    );
    this.#sent.push(
      createSyntheticMessage(String(last?.info.sessionID), author?.info ?? null, texts),
    );
  }
}

/** Matches a message that the user sent through the host. */
function isPrompt(message: HostMessage): boolean {
  return message.info.role === "user" && isSent(message) && !isSyntheticMessage(message);
}

/** Returns the message with further texts at its end; texts that an earlier replay added are not repeated. */
function appendTexts(message: HostMessage, texts: readonly RankedText[]): HostMessage {
  const added = texts.map(({ seq, text }) => createSyntheticPart(seq, message.info, text));
  const ids = new Set(added.map(({ id }) => id));
  return { ...message, parts: [...message.parts.filter(({ id }) => !ids.has(id)), ...added] };
}

/**
 * Returns the message with texts in front of everything else; texts that an earlier replay added are not
 * repeated.
 */
function prependTexts(message: HostMessage, texts: readonly RankedText[]): HostMessage {
  const ids = new Set(texts.map(({ seq }) => buildSyntheticPartId(seq)));
  const ahead = texts.map(({ seq, text }) => createSyntheticPart(seq, message.info, text));
  return { ...message, parts: [...ahead, ...message.parts.filter(({ id }) => !ids.has(id))] };
}

/** A message with its changes, and the inserts that name it. */
interface RevisedMessage {
  readonly message: HostMessage;
  readonly revised: RevisedParts;
  readonly own: readonly Insert[];
}

interface SentMessage {
  /** The changed message; null if nothing is left of it. */
  readonly shown: HostMessage | null;
  /** Inserts that still wait for a place after the message. */
  readonly left: readonly Insert[];
}

/** Builds the user's message, which begins with the waiting inserts if the message shows anything. */
function createUserMessage(
  { message, revised, own }: RevisedMessage,
  waiting: readonly Insert[],
): SentMessage {
  const isShown = own.length > 0 || revised.some((part) => part !== null && hasSentContent(part));
  const leading = isShown ? waiting : [];
  const shown = replaceParts(message, insertParts(message, revised, { leading, own }));
  return { shown, left: isShown ? [] : waiting };
}

function toSentMessage({ message, revised, own }: RevisedMessage): SentMessage {
  const texts = own.map(({ edit }) => edit.text);
  const added = texts.length === 0 ? revised : addToResult(message.info, revised, texts);
  const parts = (added ?? revised).filter((part) => part !== null);
  return { shown: replaceParts(message, parts), left: added === null ? own : [] };
}

function applyEdits(
  message: HostMessage,
  edits: readonly LocalEdit[],
  role: "opening" | "later",
  report: ReportDormancy,
): RevisedMessage {
  const own = edits.filter(isInsert).filter((insert) => {
    const found = containsPart(message, insert.edit.after.partId);
    if (!found) report(insert.seq, "missing");
    return found;
  });
  return { message, own, revised: revise(message.parts, edits.filter(isChange), role, report) };
}

function isInsert(local: LocalEdit): local is Insert {
  return local.edit.verb === "insert";
}

function isChange(local: LocalEdit): local is PartChange {
  return local.edit.verb !== "insert";
}

function containsPart(message: HostMessage, partId: string | null): boolean {
  return partId === null || message.parts.some((part) => part.id === partId);
}

function replaceParts(message: HostMessage, parts: readonly HostPart[]): HostMessage | null {
  if (equals(parts, message.parts)) return message;
  return parts.length === 0 ? null : { ...message, parts };
}

/** Returns true if both hold the same members in the same places. */
export function equals<Member>(one: readonly Member[], other: readonly Member[]): boolean {
  return one.length === other.length && one.every((member, index) => member === other[index]);
}

/** The messages that are sent, and why some edits (by their seq) take no effect. */
export interface Projection {
  readonly messages: readonly HostMessage[];
  readonly dormant: ReadonlyMap<number, DormancyReason>;
}

/**
 * Applies the edits, given in ledger order, to the host's messages. Total and pure: an edit whose place is
 * missing is dormant. Nothing passed in is changed; a message that no edit alters is passed on by reference,
 * and so is the array if no message is altered.
 */
export function project(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): Projection {
  const dormant = new Map<number, DormancyReason>();
  const report = (seq: number, why: DormancyReason) => dormant.set(seq, why);
  const plan = planEdits(edits, messages, report);
  if (plan.folds.length + plan.touched.size === 0) return { messages, dormant };
  return { messages: applyPlan(plan, messages, report), dormant };
}

/** Returns the messages that are sent. */
export function replay(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): readonly HostMessage[] {
  return project(edits, messages).messages;
}
