// Makes the parts and messages that the projection adds, named by their edit's rank.
import type { HostMessage, HostPart, MessageInfo, TextPart } from "./message.ts";

const SYNTHETIC_PART_PREFIX = "prt_sr_";
const SYNTHETIC_MESSAGE_PREFIX = "msg_sr_";

/** Builds an id from the edit's rank alone, so that it is the same at each replay. */
export function syntheticMessageId(seq: number): string {
  return `${SYNTHETIC_MESSAGE_PREFIX}${seq}`;
}

export function isSyntheticMessage({ info }: HostMessage): boolean {
  return info.id.startsWith(SYNTHETIC_MESSAGE_PREFIX);
}

export function syntheticPartId(seq: number): string {
  return `${SYNTHETIC_PART_PREFIX}${seq}`;
}

export function isSyntheticPart(part: HostPart): boolean {
  return part.id.startsWith(SYNTHETIC_PART_PREFIX);
}

/** Makes a text part of the message. `synthetic`: the host sends it and does not display it. */
export function syntheticPart(seq: number, message: MessageInfo, text: string): TextPart {
  return {
    id: syntheticPartId(seq),
    messageID: message.id,
    sessionID: message.sessionID,
    type: "text",
    text,
    synthetic: true,
  };
}

/** A text with the rank of the edit that it comes from. */
export interface RankedText {
  readonly seq: number;
  readonly text: string;
}

/** Makes a user message of these texts, with the agent and model of `author`, the user's message before. */
export function syntheticMessage(
  sessionID: string,
  author: MessageInfo | null,
  [first, ...others]: readonly [RankedText, ...RankedText[]],
): HostMessage {
  const info = {
    id: syntheticMessageId(first.seq),
    sessionID,
    role: "user",
    time: { created: 0 },
    agent: author?.agent,
    model: author?.model,
  } as const;
  return { info, parts: [first, ...others].map(({ seq, text }) => syntheticPart(seq, info, text)) };
}
