// Reads the host's user and assistant rows as boundaries need them.
import { type HostMessage, isText, type MessageInfo } from "../ledger/message.ts";

/** The fields of the host's user rows that boundaries read (OpenCode 1.18.33). */
export interface UserInfo extends MessageInfo {
  readonly role: "user";
  readonly agent: string;
  readonly model: { readonly providerID: string; readonly modelID: string };
  /** The prompt's own system text. */
  readonly system?: string | undefined;
  /** The form that the prompt requires of the answer, if it requires one. */
  readonly format?: { readonly type: string } | undefined;
  readonly time: { readonly created: number };
}

export interface AssistantInfo extends MessageInfo {
  readonly role: "assistant";
  readonly parentID: string;
  readonly providerID: string;
  readonly modelID: string;
  readonly summary?: unknown;
  readonly finish?: string | undefined;
  readonly error?: unknown;
  readonly time: { readonly created: number; readonly completed?: number | undefined };
}

export interface SessionMessage extends HostMessage {
  readonly info: UserInfo | AssistantInfo;
}

export interface UserMessage extends SessionMessage {
  readonly info: UserInfo;
}

function isUserMessage(message: SessionMessage): message is UserMessage {
  return message.info.role === "user";
}

/** The facts that a call reads off the host's rows. */
interface HistoryFacts {
  /** The newest prompt; null if there is none. */
  readonly user: UserMessage | null;
  readonly head: HistoryHead;
}

export function readHistory(messages: readonly SessionMessage[]): HistoryFacts {
  return { user: messages.findLast(isUserMessage) ?? null, head: classifyHead(messages) };
}

/** Describes, by the head of the host's array, the compaction that the history begins with. */
export type HistoryHead =
  | { readonly kind: "whole" }
  /** A finished summary: everything before it has left the history. */
  | {
      readonly kind: "compacted";
      /** The host's row that requested the compaction. */
      readonly compactionId: string;
      readonly summaryId: string;
      readonly summary: string;
    }
  /** The compaction's summary is missing, unfinished or failed: the head of the history is lost all the same. */
  | { readonly kind: "broken" };

/** Classifies the head. A summary anywhere but right after a leading compaction row is just a message. */
export function classifyHead(messages: readonly SessionMessage[]): HistoryHead {
  const [row, answer] = messages;
  if (!row?.parts.some((part) => part.type === "compaction")) return { kind: "whole" };
  const info = answer?.info;
  const isFinished =
    info?.role === "assistant" &&
    Boolean(info.summary) &&
    Boolean(info.finish) &&
    !info.error &&
    info.parentID === row.info.id;
  if (!isFinished || !answer) return { kind: "broken" };
  const texts = answer.parts.filter(isText).map(({ text }) => text);
  const { id: summaryId } = answer.info;
  return { kind: "compacted", compactionId: row.info.id, summaryId, summary: texts.join("\n") };
}
