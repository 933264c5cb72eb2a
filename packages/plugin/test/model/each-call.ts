import { readFailureText, selectFailedCalls } from "../../src/ledger/bound-failures.ts";
import {
  type HostMessage,
  type HostPart,
  isSent,
  isText,
  isTool,
  stripAdded,
} from "../../src/ledger/message.ts";
import { isSyntheticMessage } from "../../src/ledger/revise.ts";
import { wire } from "../ledger/wire.ts";
import type { Call } from "./call.ts";
import type { Violation } from "./checker.ts";
import { LIMIT_CHARS } from "./host-process.ts";
import type { StoredState } from "./stored.ts";

/** The invariants that a call shows by itself, whatever was sent before it. */
export class EachCall {
  /** Parts of failed calls that were sent whole where their bounded texts could not be stored. */
  readonly #sentWhole = new Set<string>();

  violations(call: Call, stored: StoredState): readonly Violation[] {
    return [
      ...hidden(call),
      ...harmless(call),
      ...this.#bounded(call),
      ...dormant(call, stored),
      ...valid(call),
      ...cheap(call),
    ];
  }

  /** I17: what a failed call says is within the limit. */
  #bounded({ messages, disturbed }: Call): readonly Violation[] {
    const long = messages
      .flatMap(({ parts }) => selectFailedCalls(parts))
      .filter((part) => stripAdded(part, readFailureText(part)).length > LIMIT_CHARS);
    if (disturbed) for (const { id } of long) this.#sentWhole.add(id);
    return long
      .filter(({ id }) => !this.#sentWhole.has(id))
      .map(({ id }) => ({ invariant: "I17", what: `${id} says more than the limit` }));
  }
}

/** I13: the host's own rows, which the user reads, hold no update. */
function hidden({ rows }: Call): readonly Violation[] {
  const shown = rows
    .flatMap(({ parts }) => parts)
    .map((part) => {
      if (isText(part)) return part.text;
      return isTool(part) ? JSON.stringify(part.state) : "";
    });
  return shown
    .filter((text) => text.includes("<system-update>"))
    .map((text) => ({ invariant: "I13", what: `an update is in the transcript: ${text}` }));
}

/** I15: a failure leaves the host's own request, and where nothing fails nothing is reported. */
function harmless(call: Call): readonly Violation[] {
  const { failed, live, updates, disturbed, reported } = call;
  const wrong = (what: string): Violation => ({ invariant: "I15", what });
  return [
    ...(failed && !live ? [wrong("the host's own history was sent with a stored Baseline")] : []),
    ...(live && updates.length > 0 ? [wrong("updates were sent with the host's live string")] : []),
    ...(reported > 0 && !disturbed ? [wrong("a failure was reported where nothing failed")] : []),
  ];
}

/** I18: an edit whose place is gone changes nothing. */
function dormant(call: Call, stored: StoredState): readonly Violation[] {
  const ids = new Set(call.array.map(({ info }) => info.id));
  const edits = [
    ...stored.inserts(call.sessionId).map(({ text, messageId }) => ({ text, at: [messageId] })),
    ...call.edits.flatMap(({ edit }) => {
      if (edit.verb === "omit" || edit.verb === "restore") return [];
      return {
        text: edit.text,
        at: edit.verb === "fold" ? [edit.first, edit.last] : [edit.at.messageId],
      };
    }),
  ];
  const stands = ({ at }: (typeof edits)[number]) => at.every((id) => ids.has(id));
  const standing = new Set(edits.filter(stands).map(({ text }) => text));
  const lost = new Set(edits.map(({ text }) => text).filter((text) => !standing.has(text)));
  // The host may show a reminder of its own once more, in another place.
  const own = new Set(wire(call.array));
  return wire(call.messages)
    .filter((text) => !own.has(text))
    .filter((text) => lost.has(text.replace(/^(?:user: |added: |assistant: |result: \S+ )/, "")))
    .map((text) => ({ invariant: "I18", what: `its place is gone, and it is sent: ${text}` }));
}

/** I19: the first message is the user's, none is empty, and every tool call keeps its result. */
function valid(call: Call): readonly Violation[] {
  const { array, messages, blocks } = call;
  const wrong = (what: string): Violation => ({ invariant: "I19", what });
  const first = blocks.find(({ kind }) => kind !== "system");
  const held = new Map(array.map((message) => [message.info.id, message]));
  const says = (message: HostMessage) => wire([message]).length > 0;
  // The model's policies may omit all that an answer says.
  const kept = array.filter(({ info }) => messages.some((message) => message.info.id === info.id));
  const emptied = messages.filter((message) => {
    const own = held.get(message.info.id);
    return !says(message) && (own === undefined || says(own));
  });
  const without = messages.filter((message) => {
    const own = held.get(message.info.id);
    return own !== undefined && callIds(own).join() !== callIds(message).join();
  });
  return [
    ...(inARow(messages) > Math.max(inARow(array), inARow(kept))
      ? [wrong("two messages of the user's in a row")]
      : []),
    ...(first && !first.text.startsWith("user") ? [wrong(`the first is ${first.text}`)] : []),
    ...emptied.map(({ info }) => wrong(`${info.id} is empty`)),
    ...without.map(({ info }) => wrong(`${info.id} lost a tool call`)),
  ];
}

/**
 * How often a message of the user's follows on another; some templates refuse that. A fold stands before
 * the user's message that follows on it.
 */
function inARow(messages: readonly HostMessage[]): number {
  const sent = messages.filter(isSent);
  return sent.filter(({ info, parts }, index) => {
    const isFold = isSyntheticMessage({ info, parts }) && !parts.some(isUpdatePart);
    const before = sent[index - 1];
    return (
      info.role === "user" && before?.info.role === "user" && !isFold && !isSyntheticMessage(before)
    );
  }).length;
}

function isUpdatePart(part: HostPart): boolean {
  return isText(part) && part.text.startsWith("<system-update>");
}

function callIds({ parts }: HostMessage): readonly string[] {
  return parts.filter(isTool).map(({ callID }) => callID);
}

/** I20: a pass that decides nothing writes nothing before the send. */
function cheap({ written }: Call): readonly Violation[] {
  if (written !== "something else") return [];
  return [{ invariant: "I20", what: "something was written, and nothing was decided" }];
}
