import {
  type HostMessage,
  type HostPart,
  isFile,
  isReasoning,
  isText,
  isTool,
  type ToolPart,
} from "../../src/projection/message.ts";

/** What the host sends of the history, block by block (toModelMessages of OpenCode 1.18.33). */
export function wire(messages: readonly HostMessage[]): readonly string[] {
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap(info.role === "user" ? userBlocks : assistantBlocks),
  );
}

function userBlocks(part: HostPart): readonly string[] {
  if (isText(part)) return part.ignored || part.text === "" ? [] : [`user: ${part.text}`];
  if (isFile(part)) {
    const isInText = part.mime === "text/plain" || part.mime === "application/x-directory";
    return isInText ? [] : [`user file: ${part.url}`];
  }
  return part.type === "compaction" || part.type === "subtask" ? [`user: (${part.type})`] : [];
}

function assistantBlocks(part: HostPart): readonly string[] {
  if (isText(part)) return [`assistant: ${part.text}`];
  if (isReasoning(part)) return [`reasoning: ${part.text} ${JSON.stringify(part.metadata)}`];
  return isTool(part) ? [`call: ${part.callID}`, `result: ${part.callID} ${result(part)}`] : [];
}

function result({ state }: ToolPart): string {
  switch (state.status) {
    case "completed": {
      if (state.time.compacted !== undefined) return "[Old tool result content cleared]";
      return [state.output, ...(state.attachments ?? []).map((it) => JSON.stringify(it))].join(" ");
    }
    case "error":
      return typeof state.metadata?.output === "string"
        ? state.metadata.output
        : `error: ${state.error}`;
    case "pending":
    case "running":
      return "error: [Tool execution was interrupted]";
  }
}

export function isPrefix(before: readonly string[], after: readonly string[]): boolean {
  return before.every((block, index) => block === after[index]);
}
