// Measures each part, its size and what its call is about, and remembers that from call to call.
import { hashText } from "../context/canonical.ts";
import { rememberedByMessage } from "../ledger/form-cache.ts";
import { type HostMessage, type HostPart, isTool, type ToolPart } from "../ledger/message.ts";
import { FRAME_TOKENS, partTokens, resultTokens } from "../ledger/tokens.ts";
import { callKey, classifySubject, type Subject } from "./subject.ts";

export interface PartFacts {
  readonly tokens: number;
  /** The tokens of a tool call's result; 0 for any other part. */
  readonly resultTokens: number;
  readonly call: CallFacts | null;
}

interface CallFacts {
  readonly subject: Subject;
  /** Equal for calls of one tool with equal arguments. */
  readonly key: string;
}

export interface MessageMeasure {
  /** The tokens of the whole message. */
  readonly tokens: number;
  /** One entry for each of its parts, in order. */
  readonly parts: readonly PartFacts[];
}

export type MeasureMessage = (message: HostMessage) => MessageMeasure;

/** Measures with a cache, as most of a history is as it was in the call before. */
export function rememberedMeasure(): MeasureMessage {
  return rememberedByMessage(plainMeasure);
}

export function plainMeasure({ parts }: HostMessage): MessageMeasure {
  const facts = parts.map(measureFacts);
  return { tokens: facts.reduce((sum, { tokens }) => sum + tokens, FRAME_TOKENS), parts: facts };
}

export function measureFacts(part: HostPart): PartFacts {
  const call = isTool(part) ? callFacts(part) : null;
  return { tokens: partTokens(part), resultTokens: resultTokens(part), call };
}

export function callFacts(part: ToolPart): CallFacts {
  return { subject: classifySubject(part), key: shortKey(callKey(part)) };
}

const MAX_KEY_CHARS = 256;

/** Hashes long keys, as the arguments of a call may be a whole file. */
function shortKey(key: string): string {
  return key.length > MAX_KEY_CHARS ? hashText(key) : key;
}
