// Produces the planned messages in one walk over the host's.
import type { Report } from "./dormancy.ts";
import type { Fold } from "./folds.ts";
import { isMadePart, madeMessage } from "./made.ts";
import { type HostMessage, type HostPart, isText, shows } from "./message.ts";
import type { LocalEdit, Plan } from "./plan.ts";
import { type Change, revise } from "./revise.ts";
import { type Insert, weave } from "./weave.ts";

/**
 * The messages as planned. Runs that no edit meets are passed without a look at them: a session has
 * thousands of messages, in each call.
 */
export function send(
  plan: Plan,
  messages: readonly HostMessage[],
  report: Report,
): readonly HostMessage[] {
  const opening = messages.find(({ info, parts }) => info.role === "user" && parts.some(shows));
  const walk = new Walk(messages);
  for (const stop of stopsOf(plan)) {
    if (stop.kind === "fold") {
      walk.fold(stop.fold);
      continue;
    }
    for (const message of walk.reach(stop.at)) {
      walk.revise(apply(message, stop.edits, message === opening ? "opening" : "later", report));
    }
  }
  const sent = walk.end();
  return equals(sent, messages) ? messages : sent;
}

type Stop =
  | { readonly kind: "fold"; readonly at: number; readonly fold: Fold }
  | { readonly kind: "edits"; readonly at: number; readonly edits: readonly LocalEdit[] };

function stopsOf({ folds, touched }: Plan): readonly Stop[] {
  const stops: readonly Stop[] = [
    ...folds.map((fold) => ({ kind: "fold", at: fold.first, fold }) as const),
    ...Array.from(touched, ([at, edits]) => ({ kind: "edits", at, edits }) as const),
  ];
  return stops.toSorted((left, right) => left.at - right.at);
}

/** Whether the parts of a message are all sent as they are. */
type State = "whole" | "altered";

/** One walk over the messages, with what waits to be said after the message just passed. */
class Walk {
  readonly #sent: HostMessage[] = [];
  /** The first message that has not been passed. */
  #at = 0;
  /** Inserts of an assistant's message, each to be a message of its own after it. */
  #waiting: readonly Insert[] = [];

  constructor(private readonly messages: readonly HostMessage[]) {}

  /** Passes what comes before the message, and gives that one. */
  reach(index: number): readonly HostMessage[] {
    while (this.#waiting.length > 0 && this.#at < index) {
      this.#sayWaiting("whole");
      this.#pass(this.#at + 1);
    }
    this.#pass(index);
    return this.messages.slice(index, index + 1);
  }

  revise({ state, shown, behind }: Applied): void {
    this.#sayWaiting(state);
    if (shown) this.#sent.push(shown);
    this.#at += 1;
    this.#waiting = [...this.#waiting, ...behind];
  }

  fold({ seq, first, last, text }: Fold): void {
    this.reach(first);
    this.#sayWaiting("altered");
    this.#at = last + 1;
    this.#say(seq, text);
  }

  end(): readonly HostMessage[] {
    this.reach(this.messages.length);
    this.#flush(this.#waiting.length);
    return this.#sent;
  }

  #pass(end: number): void {
    for (const message of this.messages.slice(this.#at, end)) this.#sent.push(message);
    this.#at = end;
  }

  /** Says what waits, up to the insert whose text the next message is, if that is left as it is. */
  #sayWaiting(state: State): void {
    const next = state === "whole" ? this.messages.slice(this.#at, this.#at + 1) : [];
    const standing = this.#waiting.findIndex(({ edit }) =>
      next.some((message) => isJust(message, edit.text)),
    );
    this.#flush(standing < 0 ? this.#waiting.length : standing);
    this.#waiting = this.#waiting.slice(1);
  }

  #flush(count: number): void {
    for (const { seq, edit } of this.#waiting.slice(0, count)) this.#say(seq, edit.text);
    this.#waiting = this.#waiting.slice(count);
  }

  #say(seq: number, text: string): void {
    // There is one: what is said comes after it.
    const last = this.messages[this.#at - 1];
    const author = this.messages.findLast(
      ({ info }, index) => index < this.#at && info.role === "user",
    );
    this.#sent.push(madeMessage(seq, String(last?.info.sessionID), author?.info ?? null, text));
  }
}

/** A user message of nothing but this text, which no user wrote, and of what is laid upon it. */
function isJust({ info, parts }: HostMessage, text: string): boolean {
  const [part, ...others] = parts;
  if (info.role !== "user" || part === undefined || !others.every(isMadePart)) return false;
  return isText(part) && part.synthetic === true && part.ignored !== true && part.text === text;
}

interface Applied {
  readonly state: State;
  /** Null if nothing of the message is left. */
  readonly shown: HostMessage | null;
  /** The inserts that come after the message rather than in it. */
  readonly behind: readonly Insert[];
}

function apply(
  message: HostMessage,
  edits: readonly LocalEdit[],
  role: "opening" | "later",
  report: Report,
): Applied {
  const inserts = edits.filter(isInsert).filter((insert) => {
    const found = holds(message, insert.edit.after.partId);
    if (!found) report(insert.seq, "missing");
    return found;
  });
  const revised = revise(message.parts, edits.filter(isChange), role, report);
  const isUser = message.info.role === "user";
  const parts = weave(message, revised, isUser ? inserts : []);
  return {
    state: equals(revised, message.parts) ? "whole" : "altered",
    shown: withParts(message, parts),
    behind: isUser ? [] : inserts,
  };
}

function isInsert(local: LocalEdit): local is Insert {
  return local.edit.verb === "insert";
}

function isChange(local: LocalEdit): local is Change {
  return local.edit.verb !== "insert";
}

function holds(message: HostMessage, partId: string | null): boolean {
  return partId === null || message.parts.some((part) => part.id === partId);
}

function withParts(message: HostMessage, parts: readonly HostPart[]): HostMessage | null {
  if (equals(parts, message.parts)) return message;
  return parts.length === 0 ? null : { ...message, parts };
}

/** Whether these are the same members in the same places. */
export function equals<Member>(one: readonly Member[], other: readonly Member[]): boolean {
  return one.length === other.length && one.every((member, index) => member === other[index]);
}
