// Lowers updates in an Anthropic Messages body: messages of role `system`.
import { unwrapped } from "../../context/lowering.ts";
import {
  type JsonObject,
  type LoweredBody,
  objectsOf,
  type StandingUpdate,
  UpdateFinder,
} from "./body.ts";

/**
 * Anthropic Messages: a message of role `system` may follow a user turn, if it is the last message
 * or an assistant's follows, and if it is not next to another one. So updates at the end of a user
 * turn become one such message with a block for each; blocks keep their cache markers.
 */
export function lowerAnthropic(
  body: JsonObject,
  wanted: readonly StandingUpdate[],
): LoweredBody | null {
  const messages = objectsOf(body.messages);
  if (!messages) return null;
  const finder = new UpdateFinder(wanted);
  const native: number[] = [];
  const displaced: number[] = [];
  const lowered = messages.flatMap((message, index) => {
    const turn = splitTurn(message, finder);
    const next = messages[index + 1];
    if (!turn.said || (next && next.role !== "assistant")) {
      displaced.push(...turn.inside, ...turn.ending);
      return [message];
    }
    displaced.push(...turn.inside);
    native.push(...turn.ending);
    return turn.ending.length === 0 ? [message] : turn.said;
  });
  return { body: { ...body, messages: lowered }, native, displaced };
}

interface Turn {
  /** Ranks of the updates at the end of the message, and of those that something of the user's follows. */
  readonly ending: readonly number[];
  readonly inside: readonly number[];
  /** The user's message and the system's; null where nothing of the user's would be left. */
  readonly said: readonly JsonObject[] | null;
}

function splitTurn(message: JsonObject, finder: UpdateFinder): Turn {
  const content = message.role === "user" ? objectsOf(message.content) : null;
  if (!content) return { ending: [], inside: [], said: [message] };
  const found = content.map((block) => (block.type === "text" ? finder.match(block.text) : null));
  const begin = found.lastIndexOf(null) + 1;
  const ranks = (from: number, to: number) => found.slice(from, to).flatMap((seq) => seq ?? []);
  const ending = ranks(begin, found.length);
  const inside = ranks(0, begin);
  if (begin === 0) return { ending, inside, said: null };
  const texts = content.slice(begin).map(withoutWrapping);
  const said = [
    { ...message, content: content.slice(0, begin) },
    { role: "system", content: texts },
  ];
  return { ending, inside, said };
}

function withoutWrapping(block: JsonObject): JsonObject {
  return { ...block, text: unwrapped(String(block.text)) };
}
