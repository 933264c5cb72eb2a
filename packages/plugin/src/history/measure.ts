// What is known of each part: its size, and what its call is about; remembered from call to call.
import { hashText } from "../context/canonical.ts";
import { type HostMessage, type HostPart, isTool, type ToolPart } from "../projection/message.ts";
import { rememberedByMessage } from "../projection/remembered.ts";
import { FRAME_TOKENS, partTokens, resultTokens } from "../projection/tokens.ts";
import { callKey, type Subject, subjectOf } from "./subject.ts";

export interface Facts {
  readonly tokens: number;
  /** Of a tool call, what its result takes. */
  readonly resultTokens: number;
  readonly call: CallFacts | null;
}

interface CallFacts {
  readonly subject: Subject;
  /** Equal for calls of one tool with equal arguments. */
  readonly key: string;
}

export interface Measured {
  /** Of the whole message. */
  readonly tokens: number;
  /** One for each of its parts, in order. */
  readonly parts: readonly Facts[];
}

export type Measure = (message: HostMessage) => Measured;

/** From a memory: most of a history is as it was in the call before. */
export function rememberedMeasure(): Measure {
  return rememberedByMessage(plainMeasure);
}

export function plainMeasure({ parts }: HostMessage): Measured {
  const facts = parts.map(factsOf);
  return { tokens: facts.reduce((sum, { tokens }) => sum + tokens, FRAME_TOKENS), parts: facts };
}

export function factsOf(part: HostPart): Facts {
  const call = isTool(part) ? callFacts(part) : null;
  return { tokens: partTokens(part), resultTokens: resultTokens(part), call };
}

export function callFacts(part: ToolPart): CallFacts {
  return { subject: subjectOf(part), key: shortKey(callKey(part)) };
}

const MOST_KEY_CHARS = 256;

/** The arguments of a call may be a whole file. */
function shortKey(key: string): string {
  return key.length > MOST_KEY_CHARS ? hashText(key) : key;
}
