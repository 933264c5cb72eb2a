// The host's history as the projection sees it: the structural part of the host's own types
// (`{info, parts}` of OpenCode 1.18.33) that replay reads or builds. Everything else passes through
// by reference.
import { toFields } from "../context/fields.ts";

export interface MessageInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: "user" | "assistant";
  /** On an answer: why its call failed. */
  readonly error?: unknown;
  /** On the user's messages: what the turn runs with. */
  readonly agent?: string | undefined;
  readonly model?: { readonly providerID: string; readonly modelID: string } | undefined;
}

export interface HostPart {
  readonly id: string;
  readonly messageID: string;
  readonly sessionID: string;
  readonly type: string;
}

export interface TextPart extends HostPart {
  readonly type: "text";
  readonly text: string;
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
  /**
   * What the user typed of it, where an edge knows that other words stand in it, such as a command's
   * template; missing: all of it.
   */
  readonly typed?: string;
  /** The provider's, about the text as it stands. */
  readonly metadata?: unknown;
}

export interface ReasoningPart extends HostPart {
  readonly type: "reasoning";
  readonly text: string;
  /** The provider's, about the text as it stands: a signature. */
  readonly metadata?: unknown;
}

export interface CompletedToolState {
  readonly status: "completed";
  readonly input?: unknown;
  readonly output: string;
  readonly attachments?: readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly time: { readonly start: number; readonly end: number; readonly compacted?: number };
}

export interface FailedToolState {
  readonly status: "error";
  readonly input?: unknown;
  readonly error: string;
  /** `output` of an interrupted call is sent as its result, in place of the error. */
  readonly metadata?: { readonly interrupted?: boolean; readonly output?: unknown };
}

interface OpenToolState {
  readonly status: "pending" | "running";
  readonly input?: unknown;
}

export interface ToolPart extends HostPart {
  readonly type: "tool";
  readonly tool: string;
  readonly callID: string;
  readonly metadata?: { readonly providerExecuted?: boolean };
  /** What the projection has put at the end of the result's text. */
  readonly added?: string;
  readonly state: CompletedToolState | FailedToolState | OpenToolState;
}

/** Sent only if it is neither plain text nor a folder: the host has put those into text parts. */
export interface FilePart extends HostPart {
  readonly type: "file";
  readonly mime: string;
  readonly url: string;
  readonly filename?: string | undefined;
}

export interface HostMessage {
  readonly info: MessageInfo;
  readonly parts: readonly HostPart[];
}

export function isText(part: HostPart): part is TextPart {
  return part.type === "text";
}

/** What a person typed or pasted, as far as the host says: neither it nor a plugin has put it there. */
export function isTyped(part: HostPart): part is TextPart {
  return isText(part) && shows(part) && part.synthetic !== true;
}

/** Whether the row asks for a compaction. */
export function asksForCompaction({ parts }: Pick<HostMessage, "parts">): boolean {
  return parts.some(({ type }) => type === "compaction");
}

/** When the message was made, as its host says; 0 where it does not. */
export function createdAtMs(info: MessageInfo): number {
  const { created } = toFields(toFields(info).time);
  return typeof created === "number" ? created : 0;
}

export function isReasoning(part: HostPart): part is ReasoningPart {
  return part.type === "reasoning";
}

export function isFile(part: HostPart): part is FilePart {
  return part.type === "file";
}

export function isTool(part: HostPart): part is ToolPart {
  return part.type === "tool";
}

/** A call that is over. */
export interface EndedCall extends ToolPart {
  readonly state: CompletedToolState | FailedToolState;
}

export function hasEnded(part: HostPart): part is EndedCall {
  return isTool(part) && (part.state.status === "completed" || part.state.status === "error");
}

/** What the tool said, or the stub in its place: without what the projection has put after it. */
export function resultText(part: EndedCall): string {
  return withoutAdded(part, sentResultText(part));
}

/** A text of the call's result without what the projection has put at its end. */
export function withoutAdded({ added = "" }: Pick<ToolPart, "added">, text: string): string {
  return text.slice(0, text.length - added.length);
}

/** With what the projection has put after it. */
export function sentResultText({ state }: EndedCall): string {
  return state.status === "completed" ? state.output : state.error;
}

/**
 * Whether the host sends something for the part that can stand as a message's content. Reasoning
 * is sent, but a provider takes it only in front of what it led to.
 */
export function shows(part: HostPart): boolean {
  if (isText(part)) return part.ignored !== true && part.text !== "";
  if (isFile(part)) return part.mime !== "text/plain" && part.mime !== "application/x-directory";
  return part.type === "tool" || part.type === "compaction" || part.type === "subtask";
}

/**
 * Whether the host sends anything for the message. Of an answer whose call failed it sends nothing, of
 * one that was aborted what came of it (OpenCode 1.18.33).
 */
export function isSent({ info, parts }: HostMessage): boolean {
  if (!parts.some(shows)) return false;
  return info.role === "user" || !info.error || isAbort(info.error);
}

function isAbort(error: unknown): boolean {
  return toFields(error).name === "MessageAbortedError";
}
