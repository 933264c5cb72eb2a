// Which words of a command's message the user has typed: its arguments. The mark goes with the part to the host.
import { toFields } from "../context/fields.ts";
import { type HostMessage, isText, type TextPart } from "../ledger/message.ts";

/** In a part's metadata, which the host keeps, copies into forks and never sends for a user's text. */
const MARK = "session-runtime";

interface GivenPart {
  readonly type: string;
  metadata?: Record<string, unknown>;
}

/** @param parts of the message that a command makes: live, each gets its mark */
export function markTyped(parts: readonly GivenPart[], args: string): void {
  for (const part of parts) {
    if (part.type !== "text") continue;
    part.metadata = { ...part.metadata, [MARK]: { typed: args } };
  }
}

/** A command's message with what was typed of it; any other one as it is. */
export function withTyped<Message extends HostMessage>(message: Message): Message {
  const typed = message.parts.map(findTyped).find((words) => words !== null) ?? null;
  if (typed === null || message.info.role !== "user") return message;
  const first = message.parts.find(isText);
  // Other plugins may have put texts beside the template: none of them is the user's.
  const parts = message.parts.map((part) =>
    isText(part) ? ({ ...part, typed: part === first ? typed : "" } satisfies TextPart) : part,
  );
  return { ...message, parts };
}

function findTyped(part: HostMessage["parts"][number]): string | null {
  if (!isText(part)) return null;
  const { typed } = toFields(toFields(part.metadata)[MARK]);
  return typeof typed === "string" ? typed : null;
}
