import type { HistoryMessage } from "../../../src/features/compaction/runtime-facts.ts";
import type { HostPart, ToolPart } from "../../../src/ledger/message.ts";

const place = { sessionID: "ses", messageID: "" };

let made = 0;

function id(): string {
  made += 1;
  return `prt_${made}`;
}

function textPart(text: string): HostPart & { readonly text: string } {
  return { ...place, id: id(), type: "text", text };
}

export function prompt(messageId: string, text: string): HistoryMessage {
  return {
    info: { id: messageId, sessionID: "ses", role: "user" },
    parts: [textPart(text)],
  };
}

/** What the host writes in the user's place. */
export function hostRow(messageId: string, text: string): HistoryMessage {
  const part = { ...textPart(text), synthetic: true };
  return { info: { id: messageId, sessionID: "ses", role: "user" }, parts: [part] };
}

export function compaction(messageId: string): HistoryMessage {
  const part = { ...place, id: id(), type: "compaction" };
  return { info: { id: messageId, sessionID: "ses", role: "user" }, parts: [part] };
}

export function summary(parentID: string, text: string): HistoryMessage {
  return {
    info: {
      id: `${parentID}-summary`,
      sessionID: "ses",
      role: "assistant",
      parentID,
      summary: true,
      finish: "stop",
    },
    parts: [textPart(text)],
  };
}

/** An assistant row; `finish` is undefined for one that is not over. */
export function answer(
  parentID: string,
  finish: string | undefined,
  ...parts: readonly HostPart[]
): HistoryMessage {
  return {
    info: { id: id(), sessionID: "ses", role: "assistant", parentID, finish },
    parts,
  };
}

export function ran(tool: string, input: unknown, exit?: number): ToolPart {
  const time = { start: 1, end: 2 };
  const metadata = exit === undefined ? {} : { exit };
  const state = { status: "completed", input, output: "", metadata, time } as const;
  return { ...place, id: id(), type: "tool", tool, callID: id(), state };
}

export function broke(tool: string, input: unknown, interrupted?: true): ToolPart {
  const state = {
    status: "error",
    input,
    error: "it broke",
    ...(interrupted && { metadata: { interrupted } }),
  } as const;
  return { ...place, id: id(), type: "tool", tool, callID: id(), state };
}
