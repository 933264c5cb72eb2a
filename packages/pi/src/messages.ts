// Turns the projection into Pi's messages: unchanged rows by reference, changed ones built from their blocks.
import {
  type EndedCall,
  type HostMessage,
  type HostPart,
  hasEnded,
  isReasoning,
  isText,
  readSentResultText,
} from "@session-runtime/opencode/ledger/message";
import { joinText, toContentBlocks } from "./content.ts";
import type { PiAssistant, PiMessage, PiText, PiToolResult, PiUser } from "./pi.ts";
import { partId, type RowGroup } from "./rows.ts";

type Rows = ReadonlyMap<string, RowGroup & { readonly kind: "row" } & { readonly at: number }>;

/**
 * Builds the messages without the leading system message; later ones keep their places among the remaining
 * rows.
 */
export function toPiMessages(
  groups: readonly RowGroup[],
  projected: readonly HostMessage[],
): readonly PiMessage[] {
  const rows: Rows = new Map(
    groups.flatMap((group, at) =>
      group.kind === "row" ? [[group.row.info.id, { ...group, at }] as const] : [],
    ),
  );
  const sent: PiMessage[] = [];
  let passed = 0;
  const passSystems = (end: number) => {
    for (const group of groups.slice(passed, end)) {
      if (group.kind === "system") sent.push(group.message);
    }
    passed = Math.max(passed, end);
  };
  for (const message of projected) {
    const known = rows.get(message.info.id);
    if (!known) {
      sent.push(toUserMessage(message.parts, 0));
      continue;
    }
    passSystems(known.at);
    sent.push(...(message === known.row ? known.messages : changed(known, message)));
  }
  passSystems(groups.length);
  return sent;
}

function toTextBlocks(parts: readonly HostPart[]): readonly PiText[] {
  return parts.filter(isText).map(({ text }) => ({ type: "text", text }));
}

function changed(
  { row, messages }: RowGroup & { readonly kind: "row" },
  { parts }: HostMessage,
): readonly PiMessage[] {
  const [first, ...results] = messages;
  const former = new Map(row.parts.map((part) => [part.id, part]));
  const isAsItWas = (part: HostPart) => former.get(part.id) === part;
  // A compaction's summary is dropped with the row that asked for it.
  if (first === undefined) return [];
  if (first.role === "assistant") {
    return answer({ first, results, id: row.info.id }, parts, isAsItWas);
  }
  const own =
    first.role === "user" || first.role === "custom" ? toContentBlocks(first.content) : null;
  if (own === null) {
    const added = parts.filter((part) => !former.has(part.id));
    return added.length === 0 ? [first] : withAdded(first, added);
  }
  const content = parts.flatMap((part) => {
    const at = own.findIndex((_, index) => partId(row.info.id, index) === part.id);
    const block = own[at];
    if (block && isAsItWas(part)) return [block];
    return isText(part) ? [{ type: "text", text: part.text } as const] : [];
  });
  return [{ role: "user", content, timestamp: first.timestamp }];
}

/** Appends to messages whose text Pi itself makes, and keeps that text. */
function withAdded(message: PiMessage, added: readonly HostPart[]): readonly PiMessage[] {
  if (message.role === "compactionSummary") {
    const texts = toTextBlocks(added).map(({ text }) => text);
    return [{ ...message, summary: [message.summary, ...texts].join("\n\n") }];
  }
  return [message, toUserMessage(added, message.timestamp)];
}

function toUserMessage(parts: readonly HostPart[], timestamp: number): PiUser {
  return { role: "user", content: toTextBlocks(parts), timestamp };
}

interface AnsweredCall {
  readonly id: string;
  readonly first: PiAssistant;
  readonly results: readonly PiMessage[];
}

function answer(
  { id, first, results }: AnsweredCall,
  parts: readonly HostPart[],
  isAsItWas: (part: HostPart) => boolean,
): readonly PiMessage[] {
  const kept = new Map(parts.map((part) => [part.id, part]));
  const content = first.content.flatMap((block, at) => {
    const part = kept.get(partId(id, at));
    if (!part) return [];
    if (isAsItWas(part) || block.type === "toolCall") return [block];
    if (block.type === "text" && isText(part)) return [{ ...block, text: part.text }];
    // A signature would cover the original text, so it is dropped.
    return isReasoning(part) ? [{ type: "thinking", thinking: part.text } as const] : [];
  });
  const calls = new Map(
    parts.flatMap((part) => (hasEnded(part) ? [[part.callID, part] as const] : [])),
  );
  const settled = results.flatMap((result): readonly PiMessage[] => {
    if (result.role !== "toolResult") return [result];
    const call = calls.get(result.toolCallId);
    if (!call) return [];
    return [isAsItWas(call) ? result : withText(result, call)];
  });
  return [{ ...first, content }, ...settled];
}

/** Replaces a result's text. Its images are dropped with the text that they came with. */
function withText(result: PiToolResult, call: EndedCall): PiToolResult {
  const text = readSentResultText(call);
  if (joinText(result.content) === text) return result;
  const isOwn = call.state.status === "completed" && call.state.attachments !== undefined;
  const images = isOwn
    ? toContentBlocks(result.content).filter(({ type }) => type === "image")
    : [];
  return { ...result, content: [{ type: "text", text }, ...images] };
}
