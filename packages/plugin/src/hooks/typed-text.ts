// Marks which words of a command's message the user typed, its arguments. The host stores the mark with the part.
import { toFields } from "../context/fields.ts";
import { type HostMessage, isText, type TextPart } from "../ledger/message.ts";

/**
 * Names the mark in a part's metadata, which the host keeps, copies into forks and never sends for a user's
 * text.
 */
const MARK = "session-runtime";

interface GivenPart {
  readonly type: string;
  metadata?: Record<string, unknown>;
}

/** Marks the parts. @param parts a command's live parts, each of which gets its mark */
export function markTyped(parts: readonly GivenPart[], args: string): void {
  for (const part of parts) {
    if (part.type !== "text") continue;
    part.metadata = { ...part.metadata, [MARK]: { typed: args } };
  }
}

/** Returns a command's message with its typed words; any other message unchanged. */
export function withTyped<Message extends HostMessage>(message: Message): Message {
  const typed = message.parts.map(findTyped).find((words) => words !== null) ?? null;
  if (typed === null || message.info.role !== "user") return message;
  const first = message.parts.find(isText);
  // Other plugins may have added texts besides the template, none of which the user typed.
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
