// Shows results that the host's prune blanked as they were sent.
import {
  type CompletedToolState,
  type HostMessage,
  type HostPart,
  isTool,
  type ToolPart,
} from "./message.ts";

/**
 * Returns the messages with each result that the host's prune has blanked shown as it was sent before, or the
 * array itself if there is no such result. The blanking returns as a `replace` with the host's own words,
 * admitted at a cold boundary. Reads every part, so it is meant for a host whose prune is on.
 */
export function holdPruned(messages: readonly HostMessage[]): readonly HostMessage[] {
  for (const message of messages) if (hasPruned(message)) return messages.map(restoreMessage);
  return messages;
}

function restoreMessage(message: HostMessage): HostMessage {
  return hasPruned(message) ? { ...message, parts: message.parts.map(restorePruned) } : message;
}

// Uses a plain loop, as it visits every part of the history in each pass.
function hasPruned({ parts }: HostMessage): boolean {
  for (const part of parts) if (isPruned(part)) return true;
  return false;
}

/** Matches a result that the host shows as a placeholder. */
export function isPruned(
  part: HostPart,
): part is ToolPart & { readonly state: CompletedToolState } {
  return (
    isTool(part) && part.state.status === "completed" && part.state.time.compacted !== undefined
  );
}

function restorePruned(part: HostPart): HostPart {
  if (!isPruned(part)) return part;
  const shown: ToolPart = { ...part, state: stripPruneMark(part.state) };
  return shown;
}

/** Returns the result without the prune's mark; the host itself still keeps the output. */
export function stripPruneMark(state: CompletedToolState): CompletedToolState {
  const { compacted: _mark, ...time } = state.time;
  return { ...state, time };
}
