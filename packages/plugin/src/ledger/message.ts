// Describes the host's history as the projection sees it: the structural part of the host's own types (`{info,
// parts}` of OpenCode 1.18.33) that replay reads or builds. Everything else passes through by reference.
import { toFields } from "../context/fields.ts";

export interface MessageInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: "user" | "assistant";
  /** The reason why an answer's call failed. */
  readonly error?: unknown;
  /** The agent and the model with which a user's message runs its turn. */
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
   * The words that the user typed; set if other words, such as a command's template, are known to be in the
   * text. If it is missing, the user typed the whole text.
   */
  readonly typed?: string;
  /** The provider's data about the present text. */
  readonly metadata?: unknown;
}

export interface ReasoningPart extends HostPart {
  readonly type: "reasoning";
  readonly text: string;
  /** The provider's data about the present text: a signature. */
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
  /** The text that the projection has appended to the result. */
  readonly added?: string;
  readonly state: CompletedToolState | FailedToolState | OpenToolState;
}

/** A file. It is sent only if it is neither plain text nor a folder, which the host puts into text parts. */
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

/**
 * Matches a text that a person typed or pasted, as far as the host says: neither the host nor a plugin added
 * it.
 */
export function isTyped(part: HostPart): part is TextPart {
  return isText(part) && hasSentContent(part) && part.synthetic !== true;
}

/** Returns true if the message asks for a compaction. */
export function asksForCompaction({ parts }: Pick<HostMessage, "parts">): boolean {
  return parts.some(({ type }) => type === "compaction");
}

/** Returns when the message was made, in milliseconds, according to its host; 0 if the host does not say. */
export function readCreatedAtMs(info: MessageInfo): number {
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

/** A call that has ended, with a result or an error. */
export interface EndedCall extends ToolPart {
  readonly state: CompletedToolState | FailedToolState;
}

export function hasEnded(part: HostPart): part is EndedCall {
  return isTool(part) && (part.state.status === "completed" || part.state.status === "error");
}

/** Returns the tool's result, or the stub in its place, without the text that the projection has appended. */
export function readResultText(part: EndedCall): string {
  return stripAdded(part, readSentResultText(part));
}

/** Returns a text of the call's result without the text that the projection has appended. */
export function stripAdded({ added = "" }: Pick<ToolPart, "added">, text: string): string {
  return text.slice(0, text.length - added.length);
}

/** Returns the tool's result with the text that the projection has appended. */
export function readSentResultText({ state }: EndedCall): string {
  return state.status === "completed" ? state.output : state.error;
}

/**
 * Returns true if the host sends something for the part that can stand as a message's content. Reasoning is
 * sent, but a provider accepts it only in front of what it led to.
 */
export function hasSentContent(part: HostPart): boolean {
  if (isText(part)) return part.ignored !== true && part.text !== "";
  if (isFile(part)) return part.mime !== "text/plain" && part.mime !== "application/x-directory";
  return part.type === "tool" || part.type === "compaction" || part.type === "subtask";
}

/**
 * Returns true if the host sends anything for the message. It sends nothing of an answer whose call failed,
 * but of an aborted answer it sends whatever there is (OpenCode 1.18.33).
 */
export function isSent({ info, parts }: HostMessage): boolean {
  if (!parts.some(hasSentContent)) return false;
  return info.role === "user" || !info.error || isAbort(info.error);
}

function isAbort(error: unknown): boolean {
  return toFields(error).name === "MessageAbortedError";
}
