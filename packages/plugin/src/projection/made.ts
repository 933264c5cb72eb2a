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

/** A text with the rank of the edit that it is of. */
export interface RankedText {
  readonly seq: number;
  readonly text: string;
}

/** A user's message of these texts, with the agent and model of `author`, the user's message before. */
export function madeMessage(
  sessionID: string,
  author: MessageInfo | null,
  [first, ...others]: readonly [RankedText, ...RankedText[]],
): HostMessage {
  const info = {
    id: madeMessageId(first.seq),
    sessionID,
    role: "user",
    time: { created: 0 },
    agent: author?.agent,
    model: author?.model,
  } as const;
  return { info, parts: [first, ...others].map(({ seq, text }) => madePart(seq, info, text)) };
}
