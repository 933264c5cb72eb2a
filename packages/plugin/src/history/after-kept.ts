// Moves records of work that follows a kept call of its turn to the prompt, with the records before it.
import type { EditOf } from "../ledger/edit.ts";
import { type HostMessage, isSent, isTool, type ToolPart } from "../ledger/message.ts";
import { deriveRef } from "../ledger/ref.ts";
import type { IndexRange } from "./work.ts";

/**
 * Returns the record's first line, which says that its work came after the kept call; empty if none. Between two
 * answers it would be a user message after a result, which the templates of some models refuse.
 */
export function afterKept(
  messages: readonly HostMessage[],
  stretch: IndexRange,
): readonly string[] {
  const call = callBefore(messages, stretch);
  return call ? [`After the call that stands below as it was (${deriveRef("r", call.id)}):`] : [];
}

export function foldEdit(
  messages: readonly HostMessage[],
  stretch: IndexRange,
  text: string,
): EditOf<"fold"> {
  const idAt = (index: number) => messages[index]?.info.id ?? "";
  const edit = {
    verb: "fold",
    first: idAt(stretch.first),
    last: idAt(stretch.last),
    text,
  } as const;
  return callBefore(messages, stretch) ? { ...edit, joins: "prompt" } : edit;
}

function callBefore(messages: readonly HostMessage[], { first }: IndexRange): ToolPart | undefined {
  let at = first - 1;
  for (let message = messages[at]; message && !isSent(message); message = messages[at]) at -= 1;
  const before = messages[at];
  return before?.info.role === "assistant" ? before.parts.findLast(isTool) : undefined;
}
