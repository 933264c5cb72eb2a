// Appends inserts to the text of a tool's result.
import { UPDATE_GAP } from "../context/lowering.ts";
import {
  type EndedCall,
  type HostPart,
  hasEnded,
  isSent,
  isTool,
  type MessageInfo,
  resultText,
  type ToolPart,
} from "./message.ts";
import { isPruned } from "./prune.ts";
import type { RevisedParts } from "./revise.ts";

/**
 * Returns an answer's parts with these texts at the end of its newest result; null where that can't hold them,
 * or there is none. A user message after results would change whose turn it is: it turns a request of the loop
 * into one of the user's, and the templates of some models refuse it.
 */
export function addToResult(
  info: MessageInfo,
  revised: RevisedParts,
  texts: readonly string[],
): RevisedParts | null {
  // Results come after all else in an answer.
  const at = revised.findLastIndex((part) => part !== null && isHostsCall(part));
  const part = revised[at];
  if (!part || !hasEnded(part) || isPruned(part) || !isSent({ info, parts: [part] })) return null;
  const added = withTexts(part, texts);
  return added === part ? revised : revised.with(at, added);
}

/** A provider's own tool keeps its result, which is encoded in the provider's way. */
function isHostsCall(part: HostPart): part is ToolPart {
  return isTool(part) && !part.metadata?.providerExecuted;
}

/** A text that an earlier replay has added is not added twice. */
function withTexts(part: EndedCall, texts: readonly string[]): EndedCall {
  const bare = part.added === undefined ? part : withEnd(part, "", part.added.length);
  const added = texts.map((text) => UPDATE_GAP + text).join("");
  return part.added === added ? part : { ...withEnd(bare, added, 0), added };
}

/** Returns the call with `end` in place of the last `removed` characters of its result. */
function withEnd(part: EndedCall, end: string, removed: number): EndedCall {
  const { state } = part;
  const ended = (text: string) => text.slice(0, text.length - removed) + end;
  if (state.status === "completed") {
    return { ...part, state: { ...state, output: ended(state.output) } };
  }
  const { metadata } = state;
  const output = metadata?.output;
  const said =
    typeof output === "string" ? { metadata: { ...metadata, output: ended(output) } } : {};
  return { ...part, state: { ...state, error: ended(state.error), ...said } };
}

/** Returns true if a part is sent as the host has it, with or without a text of ours after it. */
export function containsAll(sent: HostPart, own: HostPart): boolean {
  if (sent === own) return true;
  if (!hasEnded(sent) || !hasEnded(own) || sent.added === undefined) return false;
  return resultText(sent) === resultText(own) && listAttachments(sent) === listAttachments(own);
}

function listAttachments({ state }: EndedCall): unknown {
  return state.status === "completed" ? state.attachments : undefined;
}
