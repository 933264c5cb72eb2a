import type { Edit, LedgerEdit } from "../../src/ledger/edit.ts";
import type {
  FilePart,
  HostMessage,
  HostPart,
  ReasoningPart,
  TextPart,
  ToolPart,
} from "../../src/ledger/message.ts";

/** A part without its place in a message. */
type LooseMessage<Part extends HostPart> = Omit<Part, "id" | "messageID" | "sessionID">;

export type LoosePart =
  | LooseMessage<TextPart>
  | LooseMessage<ReasoningPart>
  | LooseMessage<ToolPart>
  | LooseMessage<FilePart>
  | { readonly type: "step-start" | "step-finish" | "compaction" | "subtask" };

export const model = { providerID: "anthropic", modelID: "claude" };

/** The parts of message `m` get the ids `m.0`, `m.1`, … */
function place(messageId: string, parts: readonly LoosePart[]): readonly HostPart[] {
  return parts.map((part, index) => {
    return { id: `${messageId}.${index}`, messageID: messageId, sessionID: "ses", ...part };
  });
}

export function user(id: string, ...parts: readonly LoosePart[]): HostMessage {
  const info = { id, sessionID: "ses", role: "user", agent: "build", model } as const;
  return { info, parts: place(id, parts) };
}

export function assistant(id: string, ...parts: readonly LoosePart[]): HostMessage {
  return { info: { id, sessionID: "ses", role: "assistant" }, parts: place(id, parts) };
}

export function text(words: string): LooseMessage<TextPart> {
  return { type: "text", text: words };
}

/** As the host's in-memory reminders are. */
export function synthetic(words: string): LooseMessage<TextPart> {
  return { ...text(words), synthetic: true };
}

export function ignored(words: string): LooseMessage<TextPart> {
  return { ...text(words), ignored: true };
}

export function reasoning(words: string): LooseMessage<ReasoningPart> {
  return { type: "reasoning", text: words, metadata: { anthropic: { signature: "signed" } } };
}

export function image(url: string): LooseMessage<FilePart> {
  return { type: "file", mime: "image/png", url };
}

function tool(callID: string, state: ToolPart["state"]): LooseMessage<ToolPart> {
  return { type: "tool", tool: "bash", callID, state };
}

export function done(callID: string, output: string): LooseMessage<ToolPart> {
  const time = { start: 1, end: 2 };
  return tool(callID, { status: "completed", input: { command: callID }, output, time });
}

export function pruned(callID: string, output: string): LooseMessage<ToolPart> {
  const time = { start: 1, end: 2, compacted: 3 };
  return tool(callID, { status: "completed", input: {}, output, time });
}

export function withImage(callID: string, output: string): LooseMessage<ToolPart> {
  const time = { start: 1, end: 2 };
  return tool(callID, { status: "completed", input: {}, output, time, attachments: [image("x")] });
}

export function failed(callID: string, error: string): LooseMessage<ToolPart> {
  return tool(callID, { status: "error", input: {}, error });
}

export function interrupted(callID: string, output: string): LooseMessage<ToolPart> {
  const metadata = { interrupted: true, output };
  return tool(callID, { status: "error", input: {}, error: "Tool execution aborted", metadata });
}

export function open(callID: string, status: "pending" | "running"): LooseMessage<ToolPart> {
  return tool(callID, { status, input: {} });
}

export function providerExecuted(callID: string, output: string): LooseMessage<ToolPart> {
  return { ...done(callID, output), metadata: { providerExecuted: true } };
}

/** The edits with their ranks, from 1. */
export function ledger(...edits: readonly Edit[]): readonly LedgerEdit[] {
  return edits.map((edit, index) => ({ seq: index + 1, edit }));
}

/** Of a part's id here, its message's. */
function parseMessageId(partId: string): string {
  return partId.slice(0, partId.indexOf("."));
}

/** After a part (`u1.0`) or a message as a whole (`u1`). */
export function insert(after: string, words: string): Edit {
  const anchor = after.includes(".")
    ? { messageId: parseMessageId(after), partId: after }
    : { messageId: after, partId: null };
  return { verb: "insert", after: anchor, text: words };
}

export function replace(partId: string, words: string): Edit {
  return { verb: "replace", at: { messageId: parseMessageId(partId), partId }, text: words };
}

export function omit(partId: string): Edit {
  return { verb: "omit", at: { messageId: parseMessageId(partId), partId } };
}

export function restore(partId: string, hold: "kept" | "free" = "kept"): Edit {
  return { verb: "restore", at: { messageId: parseMessageId(partId), partId }, hold };
}

export function fold(first: string, last: string, words: string): Edit {
  return { verb: "fold", first, last, text: words };
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
