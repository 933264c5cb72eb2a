// Messages with an id and parts, for tests of what a simulated session sends.
import type { HostMessage, HostPart } from "@session-runtime/opencode/ledger/message";

export function message(
  id: string,
  role: "user" | "assistant",
  ...parts: readonly object[]
): HostMessage {
  const made = parts.map((part, at): HostPart => {
    return { id: `${id}-${at}`, messageID: id, sessionID: "s", type: "text", ...part };
  });
  return { info: { id, sessionID: "s", role }, parts: made };
}

export function text(words: string): object {
  return { type: "text", text: words };
}

export function toolCall(tool: string, input: object, output: string): object {
  const state = { status: "completed", input, output, time: { start: 0, end: 0 } };
  return { type: "tool", tool, callID: "1", state };
}
