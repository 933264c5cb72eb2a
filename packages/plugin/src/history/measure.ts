// What is known of each part: its size, and what its call is about; remembered from call to call.
import { hashText } from "../context/canonical.ts";
import {
  type HostMessage,
  type HostPart,
  isText,
  isTool,
  type ToolPart,
} from "../projection/message.ts";
import { FRAME_TOKENS, partTokens, resultTokens } from "../projection/tokens.ts";
import { callKey, type Subject, subjectOf } from "./subject.ts";

export interface Facts {
  readonly tokens: number;
  /** Of a tool call, what its result takes. */
  readonly resultTokens: number;
  readonly call: CallFacts | null;
}

export interface CallFacts {
  readonly subject: Subject;
  /** Equal for calls of one tool with equal arguments. */
  readonly key: string;
}

export type FactsOf = (part: HostPart) => Facts;

/** From a memory: the host hands out each history as new objects. */
export function rememberedFacts(): FactsOf {
  const remembered = new Map<string, Remembered>();
  return (part) => {
    const stamp = stampOf(part);
    if (stamp === null) return plainFacts(part);
    const known = remembered.get(part.id);
    if (known?.stamp === stamp) return known.facts;
    if (known?.former?.stamp === stamp) return known.former.facts;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const facts = plainFacts(part);
    const former = known ? { stamp: known.stamp, facts: known.facts } : null;
    remembered.set(part.id, { stamp, facts, former });
    return facts;
  };
}

export function sizeOf({ parts }: HostMessage, factsOf: FactsOf): number {
  return parts.reduce((sum, part) => sum + factsOf(part).tokens, FRAME_TOKENS);
}

export function plainFacts(part: HostPart): Facts {
  const call = isTool(part) ? callFacts(part) : null;
  return { tokens: partTokens(part), resultTokens: resultTokens(part), call };
}

export function callFacts(part: ToolPart): CallFacts {
  return { subject: subjectOf(part), key: shortKey(callKey(part)) };
}

interface Known {
  readonly stamp: number;
  readonly facts: Facts;
}

/** A part is looked at as the host has it and as it is sent: the two forms seen last are kept. */
interface Remembered extends Known {
  readonly former: Known | null;
}

const MOST_REMEMBERED = 40_000;

/** Differs when what the part says was changed; null: it may still change without a sign. */
function stampOf(part: HostPart): number | null {
  if (isText(part)) return part.text.length * KINDS + (part.ignored === true ? 1 : 0);
  if (!isTool(part)) return null;
  const { state } = part;
  switch (state.status) {
    case "completed":
      return state.output.length * KINDS + (state.time.compacted === undefined ? 2 : 3);
    case "error":
      return state.error.length * KINDS + 4;
    case "pending":
    case "running":
      return null;
  }
}

const KINDS = 8;

const MOST_KEY_CHARS = 256;

/** The arguments of a call may be a whole file. */
function shortKey(key: string): string {
  return key.length > MOST_KEY_CHARS ? hashText(key) : key;
}
