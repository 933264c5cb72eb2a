// The words of a conversation: what the user wrote, and the answers that closed his turns. They stay where they stand.
import { type HostMessage, isSent, isText, isTool, shows } from "../ledger/message.ts";

/** Whether a fold leaves the message where it stands. One that the host doesn't send parts nothing. */
export function isSaid(message: HostMessage): boolean {
  return isSent(message) && (message.info.role === "user" || isClosing(message));
}

/** An answer with words and without calls: it ends a turn. */
export function isClosing({ info, parts }: HostMessage): boolean {
  return info.role === "assistant" && !parts.some(isTool) && parts.some(isProse);
}

function isProse(part: HostMessage["parts"][number]): boolean {
  return isText(part) && shows(part) && part.text.trim() !== "";
}
