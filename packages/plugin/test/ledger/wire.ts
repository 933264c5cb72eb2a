import {
  type HostMessage,
  type HostPart,
  isFile,
  isReasoning,
  isText,
  isTool,
  type ToolPart,
} from "../../src/ledger/message.ts";

/** What the host sends of the history, block by block (toModelMessages of OpenCode 1.18.33). */
export function wire(messages: readonly HostMessage[]): readonly string[] {
  return messages.flatMap(({ info, parts }) =>
    info.role === "user"
      ? parts.flatMap(userBlocks)
      : [...parts.flatMap(answerBlocks), ...parts.flatMap(resultBlocks)],
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

function answerBlocks(part: HostPart): readonly string[] {
  if (isText(part)) return [`assistant: ${part.text}`];
  if (isReasoning(part)) return [`reasoning: ${part.text} ${JSON.stringify(part.metadata)}`];
  if (!isTool(part)) return [];
  const own = part.metadata?.providerExecuted ? [resultBlock(part)] : [];
  return [`call: ${part.callID}`, ...own];
}

/** Of the host's tools: they are in a message of their own, after all else. */
function resultBlocks(part: HostPart): readonly string[] {
  if (!isTool(part) || part.metadata?.providerExecuted) return [];
  return [resultBlock(part), ...added(part)];
}

function resultBlock(part: ToolPart): string {
  return `result: ${part.callID} ${result(part)}`;
}

/** What stands in the result after the tool's own words, one block for each text. */
function added({ added = "" }: ToolPart): readonly string[] {
  const isFramed = added.includes("<system-update>");
  const texts = added.split(isFramed ? /\n\n(?=<system-update>)/ : "\n\n").slice(1);
  return texts.map((text) => `added: ${text}`);
}

function result(part: ToolPart): string {
  const { state } = part;
  switch (state.status) {
    case "completed": {
      if (state.time.compacted !== undefined) return "[Old tool result content cleared]";
      return [
        own(part, state.output),
        ...(state.attachments ?? []).map((it) => JSON.stringify(it)),
      ].join(" ");
    }
    case "error":
      return typeof state.metadata?.output === "string"
        ? own(part, state.metadata.output)
        : `error: ${own(part, state.error)}`;
    case "pending":
    case "running":
      return "error: [Tool execution was interrupted]";
  }
}

function own({ added = "" }: ToolPart, text: string): string {
  if (!text.endsWith(added)) throw new Error(`${text} does not end in ${added}`);
  return text.slice(0, text.length - added.length);
}

export function isPrefix(before: readonly string[], after: readonly string[]): boolean {
  return before.every((block, index) => block === after[index]);
}
