// Builds OpenCode 2's messages from the projection: copies, or the host's own objects if nothing has changed.
import {
  type EndedCall,
  type HostMessage,
  type HostPart,
  hasEnded,
  readResultText,
  readSentResultText,
} from "../ledger/message.ts";
import type { V2Message, V2Part, V2Result } from "./context.ts";
import { buildPartId, joinResultText, type MessageGroup } from "./rows.ts";

/**
 * Builds the messages to send. The host's system updates stay; those in a folded range come after the fold.
 */
export function toSentMessages(
  groups: readonly MessageGroup[],
  projected: readonly HostMessage[],
): readonly V2Message[] {
  const at = new Map(groups.map(({ row }, index) => [row.info.id, index]));
  const sent: V2Message[] = [];
  /**
   * Holds parts inserted into a compaction's request row, which has no message; they end the summary's
   * message.
   */
  let waiting: readonly V2Part[] = [];
  let next = 0;
  const skipToGroup = (end: number) => {
    const left = groups.slice(next, end).flatMap(({ followers }) => followers);
    sent.push(...left.filter(({ role }) => role === "system"));
    next = Math.max(next, end);
  };
  for (const message of projected) {
    const index = at.get(message.info.id);
    const group = index === undefined ? undefined : groups[index];
    if (index === undefined || !group) {
      sent.push(toV2Message(message));
      continue;
    }
    skipToGroup(index);
    next = index + 1;
    if (group.head === null) {
      waiting = selectAdded(group, message);
      continue;
    }
    const [first, ...others] =
      message === group.row ? toHostMessages(group) : reviseMessage(group, message);
    if (first) sent.push(waiting.length === 0 ? first : appendParts(first, waiting), ...others);
    waiting = [];
  }
  skipToGroup(groups.length);
  return sent;
}

function selectAdded({ row }: MessageGroup, { parts }: HostMessage): readonly V2Part[] {
  const former = new Set(row.parts.map(({ id }) => id));
  return parts.filter(({ id }) => !former.has(id)).flatMap(toV2Text);
}

function appendParts(message: V2Message, parts: readonly V2Part[]): V2Message {
  return { ...message, content: [...message.content, ...parts] };
}

function toHostMessages({ head, followers }: MessageGroup): readonly V2Message[] {
  return head ? [head, ...followers] : followers;
}

function toV2Message({ info, parts }: HostMessage): V2Message {
  return { role: info.role, content: parts.flatMap(toV2Text) };
}

function toV2Text(part: HostPart): readonly V2Part[] {
  return part.type === "text" && "text" in part && typeof part.text === "string"
    ? [{ type: "text", text: part.text }]
    : [];
}

function reviseMessage(
  { row, head, followers }: MessageGroup,
  message: HostMessage,
): readonly V2Message[] {
  const { id } = row.info;
  const former = new Map(row.parts.map((part) => [part.id, part]));
  const own = new Map(head?.content.map((part, index) => [buildPartId(id, part, index), part]));
  const results = new Map<string, EndedCall | null>();
  for (const part of row.parts) if (part.type === "tool") results.set(part.id, null);
  const content = message.parts.flatMap((part): readonly V2Part[] => {
    const given = own.get(part.id);
    if (part.type === "tool") results.delete(part.id);
    if (!given) return former.has(part.id) ? [] : toV2Text(part);
    if (part === former.get(part.id)) return [given];
    if (hasEnded(part)) results.set(part.id, part);
    return [replaceText(given, part)];
  });
  const changed = followers.flatMap((follower) =>
    follower.role === "tool" ? reviseToolMessage(id, follower, results) : [follower],
  );
  return head ? [{ ...head, content }, ...changed] : changed;
}

/** Replaces a text. The provider's metadata belongs to the previous text, and is dropped with it. */
function replaceText(given: V2Part, part: HostPart): V2Part {
  const [made] = toV2Text(part);
  if (given.type === "text" && made?.type === "text") return { type: "text", text: made.text };
  if (given.type === "reasoning" && "text" in part && typeof part.text === "string") {
    return { type: "reasoning", text: part.text };
  }
  return given;
}

/** Builds a tool message. `results` maps part ids to calls with changed results; null leaves a call out. */
function reviseToolMessage(
  messageId: string,
  message: V2Message,
  results: ReadonlyMap<string, EndedCall | null>,
): readonly V2Message[] {
  const content = message.content.flatMap((part): readonly V2Part[] => {
    if (part.type !== "tool-result") return [part];
    const call = results.get(`${messageId}/${part.id}`);
    if (call === undefined) return [part];
    return call === null ? [] : [{ ...part, result: appendToResult(part.result, call) }];
  });
  if (content.length === 0) return [];
  const isSame = content.every((part, index) => part === message.content[index]);
  return [isSame ? message : { ...message, content }];
}

/** Appends to a result; a result with several parts gets one more. */
function appendToResult(given: V2Result, call: EndedCall): V2Result {
  const { type, value } = given;
  if (
    type === "content" &&
    Array.isArray(value) &&
    readResultText(call) === joinResultText(given)
  ) {
    return { type, value: [...value, { type: "text", text: call.added?.trimStart() ?? "" }] };
  }
  return { type: type === "error" ? "error" : "text", value: readSentResultText(call) };
}
