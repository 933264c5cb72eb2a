// Parts and messages that the projection adds, named by their edit's rank.
import type { HostMessage, HostPart, MessageInfo, TextPart } from "./message.ts";

const MADE_PART = "prt_sr_";
const MADE_MESSAGE = "msg_sr_";

/** What the projection adds is named by the edit's rank alone: the same at each replay. */
export function madeMessageId(seq: number): string {
  return `${MADE_MESSAGE}${seq}`;
}

export function isMadeMessage({ info }: HostMessage): boolean {
  return info.id.startsWith(MADE_MESSAGE);
}

export function madePartId(seq: number): string {
  return `${MADE_PART}${seq}`;
}

export function isMadePart(part: HostPart): boolean {
  return part.id.startsWith(MADE_PART);
}

/** A text part of the message. Synthetic: the host sends it, and shows it to nobody. */
export function madePart(seq: number, message: MessageInfo, text: string): TextPart {
  return {
    id: madePartId(seq),
    messageID: message.id,
    sessionID: message.sessionID,
    type: "text",
    text,
    synthetic: true,
  };
}

/** A user's message of one text, with the agent and model of `author`, the user's message before. */
export function madeMessage(
  seq: number,
  sessionID: string,
  author: MessageInfo | null,
  text: string,
): HostMessage {
  const info = {
    id: madeMessageId(seq),
    sessionID,
    role: "user",
    time: { created: 0 },
    agent: author?.agent,
    model: author?.model,
  } as const;
  return { info, parts: [madePart(seq, info, text)] };
}
