// What is known of each part: its size, and what its call is about; remembered from call to call.
import { hashText } from "../context/canonical.ts";
import {
  type HostMessage,
  type HostPart,
  isReasoning,
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

/**
 * From a memory: the host hands out each history as new objects. By message, as a part's id is looked up
 * in a fraction of the time where its place is known.
 */
export function rememberedMeasure(): Measure {
  const remembered = new Map<string, Remembered>();
  return (message) => {
    const known = remembered.get(message.info.id);
    if (known && isSame(known, message)) return known.measured;
    if (known?.former && isSame(known.former, message)) return known.former.measured;
    const measured = plainMeasure(message);
    const stamps = message.parts.map(stampOf);
    if (stamps.includes(null)) return measured;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const ids = message.parts.map(({ id }) => id);
    remembered.set(message.info.id, { ids, stamps, measured, former: known ?? null });
    if (known) known.former = null;
    return measured;
  };
}

/** A loop and no closure: it is asked of each message in each call. */
function isSame({ ids, stamps }: Remembered, { parts }: HostMessage): boolean {
  if (parts.length !== ids.length) return false;
  for (let index = 0; index < ids.length; index++) {
    const part = parts[index];
    if (!part || part.id !== ids[index] || stampOf(part) !== stamps[index]) return false;
  }
  return true;
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

/** A message is looked at as the host has it and as it is sent: the two forms seen last are kept. */
interface Remembered {
  readonly ids: readonly string[];
  readonly stamps: readonly (number | null)[];
  readonly measured: Measured;
  former: Remembered | null;
}

const MOST_REMEMBERED = 20_000;

/** Where the host notes that a step begins or ends: half of all parts. */
function isNeverSent({ type }: HostPart): boolean {
  return type === "step-start" || type === "step-finish" || type === "patch";
}

/** Differs when what the part says was changed; null: it may still change without a sign. */
function stampOf(part: HostPart): number | null {
  if (isText(part)) return part.text.length * KINDS + (part.ignored === true ? 1 : 0);
  if (isReasoning(part)) return part.text.length * KINDS + 5;
  if (!isTool(part)) return isNeverSent(part) ? 6 : null;
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
