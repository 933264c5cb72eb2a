// Computes digests of messages, by their shape and by their content.
import { hashText } from "../context/canonical.ts";
import {
  type HostMessage,
  type HostPart,
  isFile,
  isReasoning,
  isText,
  isTool,
  type ToolPart,
} from "./message.ts";

/**
 * Lists a message's ids, kinds, lengths and flags, without its texts. A synthetic text counts by its length and
 * not by its id, because the host gives its in-memory reminders another id at each step.
 */
function messageShape({ info, parts }: HostMessage): string {
  return parts.reduce((text, part) => `${text}${partShape(part)}\n`, `${info.role} ${info.id}\n`);
}

function partShape(part: HostPart): string {
  if (isText(part)) {
    const flag = part.ignored === true ? "ignored" : "text";
    return part.synthetic === true
      ? `${flag} ${part.text.length}`
      : `${flag} ${part.id} ${part.text.length}`;
  }
  if (isReasoning(part)) return `reasoning ${part.id} ${part.text.length}`;
  return isTool(part) ? toolShape(part) : `${part.type} ${part.id}`;
}

function toolShape({ id, state }: ToolPart): string {
  switch (state.status) {
    case "completed": {
      const status = state.time.compacted === undefined ? "completed" : "compacted";
      return `${status} ${id} ${state.output.length} ${state.attachments?.length ?? 0}`;
    }
    case "error":
      return `error ${id} ${state.error.length}`;
    case "pending":
    case "running":
      return `${state.status} ${id}`;
  }
}

/** The remembered digest of one message, which holds as long as its shape does. */
export interface KnownContent {
  readonly shape: string;
  readonly digest: string;
}

/**
 * Digests all that the host sends of the messages up to and including `upToIndex`, as 16 hex digits: the texts
 * themselves, and no ids. Reads the texts only of messages that `known` doesn't hold in their present shape.
 */
export function contentRemembered(
  messages: readonly HostMessage[],
  upToIndex: number,
  known: Map<string, KnownContent>,
): string {
  const digests = messages.slice(0, upToIndex + 1).map((message) => {
    const shape = messageShape(message);
    const remembered = known.get(message.info.id);
    if (remembered?.shape === shape) return remembered.digest;
    const digest = messageContent(message);
    known.set(message.info.id, { shape, digest });
    return digest;
  });
  return hashText(digests.join(""));
}

function messageContent({ info, parts }: HostMessage): string {
  return hashText(JSON.stringify([info.role, parts.map(sentFields)]));
}

function sentFields(part: HostPart): readonly unknown[] {
  if (isText(part)) return ["text", part.ignored === true, part.text, part.metadata];
  if (isReasoning(part)) return ["reasoning", part.text, part.metadata];
  if (isFile(part)) return ["file", part.mime, part.url, part.filename];
  return isTool(part) ? ["tool", part.tool, part.callID, ...toResultFields(part)] : [part.type];
}

function toResultFields({ state }: ToolPart): readonly unknown[] {
  switch (state.status) {
    case "completed": {
      const { input, output, attachments, time } = state;
      return [state.status, input, output, attachments, time.compacted !== undefined];
    }
    case "error":
      return [state.status, state.input, state.error, state.metadata?.output];
    case "pending":
    case "running":
      return [state.status, state.input];
  }
}
