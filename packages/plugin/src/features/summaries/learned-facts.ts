// Determines what a batch's facts rest on: a user's words, the model's, or tool output; and which segment holds them.
// Pure.
import { type HostMessage, isText, isTool, isTyped } from "../../ledger/message.ts";
import { deriveRef, type Ref } from "../../ledger/ref.ts";
import type { SourcedFact } from "../memory/promote.ts";
import type { CheckedSegment, Fact } from "./answer-check.ts";
import { isStated } from "./user-phrases.ts";

interface PromotionInput {
  readonly facts: readonly Fact[];
  /** Facts that wait for a person to confirm them. */
  readonly candidates: readonly Fact[];
  /** The messages of the batch. */
  readonly messages: readonly HostMessage[];
  /** The segments of the batch that are kept. */
  readonly segments: readonly Pick<CheckedSegment, "first" | "last">[];
}

/**
 * Collects the facts of an answer, and candidates of other sessions that this session's user states without being
 * asked.
 */
export function collectLearnedFacts({ facts, candidates, messages, segments }: PromotionInput) {
  const prompts = messages.flatMap((message) => listTextsByRole("user", message));
  const answers = messages.flatMap((message) => listTextsByRole("assistant", message));
  const findSegmentRef = (fact: Fact) => findBestSegment(messages, segments, fact.text);
  const found = facts.map((fact): SourcedFact => {
    const source = classifySource(fact.text, prompts, answers);
    return { ...fact, source, segment: findSegmentRef(fact) };
  });
  const confirmed = candidates
    .filter(({ text }) => isStated(text, prompts))
    .map((fact): SourcedFact => ({ ...fact, source: "prompt", segment: findSegmentRef(fact) }));
  return [...found, ...confirmed];
}

function classifySource(
  fact: string,
  prompts: readonly string[],
  answers: readonly string[],
): SourcedFact["source"] {
  if (isStated(fact, prompts)) return "prompt";
  return isStated(fact, answers) ? "session" : "tool";
}

/**
 * Lists the role's own texts, without what the host or a plugin has added, and without a command's template.
 */
function listTextsByRole(
  role: "user" | "assistant",
  { info, parts }: HostMessage,
): readonly string[] {
  if (info.role !== role) return [];
  return parts.flatMap((part) => (isTyped(part) ? [part.typed ?? part.text] : []));
}

/**
 * Returns the segment of the message that has most of the fact's words; null if that segment is not kept or no
 * message has any of them.
 */
function findBestSegment(
  messages: readonly HostMessage[],
  segments: PromotionInput["segments"],
  fact: string,
): Ref | null {
  const words = new Set(fact.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
  const shares = messages.map((message) => {
    const text = joinTexts(message).toLowerCase();
    return [...words].filter((word) => text.includes(word)).length;
  });
  const most = Math.max(0, ...shares);
  const at = most === 0 ? -1 : shares.indexOf(most);
  const segment = segments.find(({ first, last }) => first <= at && at <= last);
  const id = segment && messages[segment.first]?.info.id;
  return id === undefined ? null : deriveRef("h", id);
}

function joinTexts({ parts }: HostMessage): string {
  const texts = parts.map((part) => {
    if (isText(part)) return part.text;
    return isTool(part) && part.state.status === "completed" ? part.state.output : "";
  });
  return texts.join("\n");
}
