// Recognises the words of a conversation, which stay: what the user wrote, and the answers that closed his turns.
import { type HostMessage, isSent, isText, isTool, shows } from "../ledger/message.ts";

/** Returns true if a fold leaves the message where it stands. A message that is not sent separates nothing. */
export function isSaid(message: HostMessage): boolean {
  return isSent(message) && (message.info.role === "user" || isClosing(message));
}

/** Matches an answer with words and without calls, which ends a turn. */
export function isClosing({ info, parts }: HostMessage): boolean {
  return info.role === "assistant" && !parts.some(isTool) && parts.some(isProse);
}

function isProse(part: HostMessage["parts"][number]): boolean {
  return isText(part) && shows(part) && part.text.trim() !== "";
}
