// Reads the results of tool calls as values, and recognises the words of a conversation, which stay.
import {
  type EndedCall,
  type HostMessage,
  type HostPart,
  hasEnded,
  hasSentContent,
  isSent,
  isText,
  isTool,
  readResultText,
  stripAdded,
} from "../ledger/message.ts";
import {
  type MeasureMessage,
  type MessageMeasure,
  measureFacts,
  measureParts,
  type PartFacts,
  toCallFacts,
} from "./measured-history.ts";
import type { Subject } from "./subject.ts";

export interface Result {
  /** The index of the result's message. */
  readonly at: number;
  readonly messageId: string;
  readonly partId: string;
  readonly tool: string;
  readonly subject: Subject;
  /** A key that is equal for calls of one tool with equal arguments. */
  readonly key: string;
  readonly outcome: "done" | "failed" | "blanked";
  readonly text: string;
  /** The tokens that the result takes as it is sent. */
  readonly tokens: number;
  readonly part: EndedCall;
  readonly facts: PartFacts;
}

/** Matches an ended call of one of the host's tools; a provider's own tools keep their results. */
export function isEndedCall(part: HostPart): part is EndedCall {
  return hasEnded(part) && !part.metadata?.providerExecuted;
}

export function collectResults(
  messages: readonly HostMessage[],
  measure: MeasureMessage = measureParts,
): readonly Result[] {
  return messages.flatMap((message, at) =>
    message.parts.some(isEndedCall) ? toResults(message, measure(message), at) : [],
  );
}

/** Lists the results of one message; `at` is its index. */
export function toResults(
  { info, parts }: HostMessage,
  measured: MessageMeasure,
  at: number,
): readonly Result[] {
  const found: Result[] = [];
  parts.forEach((part, index) => {
    if (!isEndedCall(part)) return;
    const facts = measured.parts[index] ?? measureFacts(part);
    found.push(toResult(part, { messageId: info.id, at }, facts));
  });
  return found;
}

function toResult(
  part: EndedCall,
  { messageId, at }: Pick<Result, "messageId" | "at">,
  facts: PartFacts,
): Result {
  const { id: partId, tool } = part;
  const { subject, key } = facts.call ?? toCallFacts(part);
  const { outcome, text } = readSentResult(part);
  const tokens = facts.resultTokens;
  return { at, messageId, partId, tool, subject, key, outcome, text, tokens, part, facts };
}

/** Returns the result in the tool's own words. */
function readSentResult(part: EndedCall): Pick<Result, "outcome" | "text"> {
  const { state } = part;
  switch (state.status) {
    case "completed": {
      const outcome = state.time.compacted === undefined ? "done" : "blanked";
      return { outcome, text: readResultText(part) };
    }
    case "error": {
      const output = state.metadata?.output;
      const text = typeof output === "string" ? output : state.error;
      return { outcome: "failed", text: stripAdded(part, text) };
    }
  }
}

// Recognises the words of a conversation, which stay: what the user wrote, and the answers that closed his turns.

/** Returns true if a fold leaves the message where it stands. An unsent message separates nothing. */
export function isDialogue(message: HostMessage): boolean {
  return isSent(message) && (message.info.role === "user" || isClosingAnswer(message));
}

/** Matches an answer with words and without calls, which ends a turn. */
export function isClosingAnswer({ info, parts }: HostMessage): boolean {
  return info.role === "assistant" && !parts.some(isTool) && parts.some(isProse);
}

function isProse(part: HostMessage["parts"][number]): boolean {
  return isText(part) && hasSentContent(part) && part.text.trim() !== "";
}
