// What a batch's facts rest on: a user's words, the model's, or what tools gave; and where they stand. Pure.

import { type HostMessage, isText, isTool, isTyped } from "../../projection/message.ts";
import { type Ref, refOf } from "../../projection/ref.ts";
import type { LearntFact } from "../memory/promote.ts";
import type { CheckedSegment, Fact } from "./answer-check.ts";
import { isSaid } from "./users-words.ts";

interface LearntInput {
  readonly facts: readonly Fact[];
  /** Facts that wait for a person's word. */
  readonly candidates: readonly Fact[];
  /** Of the batch. */
  readonly messages: readonly HostMessage[];
  /** Those that are kept of it. */
  readonly segments: readonly Pick<CheckedSegment, "first" | "last">[];
}

/** The facts of an answer, and the candidates of other sessions that this one's user says by himself. */
export function learntOf({ facts, candidates, messages, segments }: LearntInput) {
  const prompts = messages.flatMap((message) => saidBy("user", message));
  const answers = messages.flatMap((message) => saidBy("assistant", message));
  const segmentOf = (fact: Fact) => segmentRef(messages, segments, fact.text);
  const found = facts.map((fact): LearntFact => {
    const source = sourceOf(fact.text, prompts, answers);
    return { ...fact, source, segment: segmentOf(fact) };
  });
  const confirmed = candidates
    .filter(({ text }) => isSaid(text, prompts))
    .map((fact): LearntFact => ({ ...fact, source: "prompt", segment: segmentOf(fact) }));
  return [...found, ...confirmed];
}

function sourceOf(
  fact: string,
  prompts: readonly string[],
  answers: readonly string[],
): LearntFact["source"] {
  if (isSaid(fact, prompts)) return "prompt";
  return isSaid(fact, answers) ? "session" : "tool";
}

/** Not what the host or a plugin has put beside the words, nor a template that a command has brought. */
function saidBy(role: "user" | "assistant", { info, parts }: HostMessage): readonly string[] {
  if (info.role !== role) return [];
  return parts.flatMap((part) => (isTyped(part) ? [part.typed ?? part.text] : []));
}

/** The segment of the message that has most of the fact's words; null: it is not kept, or none has any. */
function segmentRef(
  messages: readonly HostMessage[],
  segments: LearntInput["segments"],
  fact: string,
): Ref | null {
  const words = new Set(fact.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
  const shares = messages.map((message) => {
    const text = allText(message).toLowerCase();
    return [...words].filter((word) => text.includes(word)).length;
  });
  const most = Math.max(0, ...shares);
  const at = most === 0 ? -1 : shares.indexOf(most);
  const segment = segments.find(({ first, last }) => first <= at && at <= last);
  const id = segment && messages[segment.first]?.info.id;
  return id === undefined ? null : refOf("h", id);
}

function allText({ parts }: HostMessage): string {
  const texts = parts.map((part) => {
    if (isText(part)) return part.text;
    return isTool(part) && part.state.status === "completed" ? part.state.output : "";
  });
  return texts.join("\n");
}
