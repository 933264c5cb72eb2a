/**
 * The host's history as the projection sees it: the structural part of the host's own types
 * (`{info, parts}` of OpenCode 1.18.33) that replay reads or builds. Everything else passes through
 * by reference.
 */
export interface MessageInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: "user" | "assistant";
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
}

export interface ReasoningPart extends HostPart {
  readonly type: "reasoning";
  readonly text: string;
}

export interface CompletedToolState {
  readonly status: "completed";
  readonly output: string;
  readonly attachments?: readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly time: { readonly start: number; readonly end: number; readonly compacted?: number };
}

export interface FailedToolState {
  readonly status: "error";
  readonly error: string;
}

export interface OpenToolState {
  readonly status: "pending" | "running";
}

export interface ToolPart extends HostPart {
  readonly type: "tool";
  readonly tool: string;
  readonly callID: string;
  readonly state: CompletedToolState | FailedToolState | OpenToolState;
}

export interface HostMessage {
  readonly info: MessageInfo;
  readonly parts: readonly HostPart[];
}

export function isText(part: HostPart): part is TextPart {
  return part.type === "text";
}

export function isReasoning(part: HostPart): part is ReasoningPart {
  return part.type === "reasoning";
}

export function isTool(part: HostPart): part is ToolPart {
  return part.type === "tool";
}
