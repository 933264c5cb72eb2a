// Produces the planned messages in one walk over the host's.
import type { Report } from "./dormancy.ts";
import { isMadePart, madeMessage } from "./made.ts";
import { type HostMessage, type HostPart, isText, type MessageInfo, shows } from "./message.ts";
import type { LocalEdit, Plan } from "./plan.ts";
import { type Change, revise } from "./revise.ts";
import { type Insert, weave } from "./weave.ts";

/** The messages as planned, in one walk over the host's. */
export function send(
  { covering, touched }: Plan,
  messages: readonly HostMessage[],
  report: Report,
): readonly HostMessage[] {
  const opening = messages.find(({ info, parts }) => info.role === "user" && parts.some(shows));
  const walk = new Walk();
  for (const [index, message] of messages.entries()) {
    const fold = covering[index];
    const edits = touched.get(index);
    if (fold) {
      walk.reach(message, "altered");
      if (index === fold.last) walk.say(fold.seq, fold.text);
    } else if (edits) {
      const role = message === opening ? "opening" : "later";
      const { state, shown, behind } = apply(message, edits, role, report);
      walk.reach(message, state);
      if (shown) walk.pass(shown);
      walk.wait(behind);
    } else {
      walk.reach(message, "whole");
      walk.pass(message);
    }
  }
  return walk.end();
}

/** Whether the parts of a message are all sent as they are. */
type State = "whole" | "altered";

/** One walk over the messages, with what waits to be said behind the message just passed. */
class Walk {
  readonly #sent: HostMessage[] = [];
  #sessionId = "";
  #author: MessageInfo | null = null;
  /** Inserts of an assistant's message, each to be a message of its own behind it. */
  #waiting: readonly Insert[] = [];

  /** Says what waits, up to the insert whose text the next message is, if that is left as it is. */
  reach(message: HostMessage, state: State): void {
    if (this.#waiting.length > 0) this.#sayWaiting(message, state);
    this.#sessionId = message.info.sessionID;
    if (message.info.role === "user") this.#author = message.info;
  }

  #sayWaiting(message: HostMessage, state: State): void {
    const standing = this.#waiting.findIndex(
      ({ edit }) => state === "whole" && isJust(message, edit.text),
    );
    this.#flush(standing < 0 ? this.#waiting.length : standing);
    this.#waiting = this.#waiting.slice(1);
  }

  pass(message: HostMessage): void {
    this.#sent.push(message);
  }

  wait(inserts: readonly Insert[]): void {
    this.#waiting = [...this.#waiting, ...inserts];
  }

  say(seq: number, text: string): void {
    this.#sent.push(madeMessage(seq, this.#sessionId, this.#author, text));
  }

  end(): readonly HostMessage[] {
    this.#flush(this.#waiting.length);
    return this.#sent;
  }

  #flush(count: number): void {
    for (const { seq, edit } of this.#waiting.slice(0, count)) this.say(seq, edit.text);
    this.#waiting = this.#waiting.slice(count);
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
  /** The inserts that stand behind the message rather than in it. */
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
