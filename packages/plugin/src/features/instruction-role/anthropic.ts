// Lowers updates in an Anthropic Messages body into messages of role `system`.
import { unwrapUpdate } from "../../context/frames.ts";
import {
  type JsonObject,
  type LoweredBody,
  type ResultEnd,
  type SentUpdate,
  toObjects,
  UpdateFinder,
} from "./body.ts";

/**
 * Lowers updates for Anthropic Messages. A message of role `system` may follow a user turn if it is the last
 * message or an assistant's message follows, and if it is not next to another such message. So updates at the
 * end of a user turn, after its texts or within its last result, become one such message with a block for
 * each; texts keep their cache markers.
 */
export function lowerAnthropicBody(
  body: JsonObject,
  wanted: readonly SentUpdate[],
): LoweredBody | null {
  const messages = toObjects(body.messages);
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
  return { body: { ...body, messages: lowered }, nativeSeqs: native, displacedSeqs: displaced };
}

interface Turn {
  /**
   * Ranks of the updates at the end of the message, and (`inside`) of those that something from the user
   * follows.
   */
  readonly ending: readonly number[];
  readonly inside: readonly number[];
  /** The user's message and the system's; null if nothing would be left of the user's message. */
  readonly said: readonly JsonObject[] | null;
}

function splitTurn(message: JsonObject, finder: UpdateFinder): Turn {
  const content = message.role === "user" ? toObjects(message.content) : null;
  if (!content) return { ending: [], inside: [], said: [message] };
  const items = content.map((block) => toItem(block, finder));
  const begin = items.findLastIndex(({ seq }) => seq === null) + 1;
  const last = items[begin - 1];
  const end = last?.end ?? null;
  const inside = items.slice(0, begin).flatMap(({ seq, end: other }) => {
    if (other === null) return seq ?? [];
    return [...other.inside, ...(other === end ? [] : other.updates.map((update) => update.seq))];
  });
  const ended = end?.updates ?? [];
  const ending = [
    ...ended.map(({ seq }) => seq),
    ...items.slice(begin).flatMap(({ seq }) => seq ?? []),
  ];
  if (!last) return { ending, inside, said: null };
  const own = end === null ? last.block : replaceResultText(last.block, end.own);
  const texts = [...ended.map(({ text }) => ({ type: "text", text })), ...content.slice(begin)].map(
    stripWrapping,
  );
  const said = [
    { ...message, content: [...content.slice(0, begin - 1), own] },
    { role: "system", content: texts },
  ];
  return { ending, inside, said };
}

interface Item {
  readonly block: JsonObject;
  /** The rank of the update that the block's text is; null for any other block. */
  readonly seq: number | null;
  /** The updates at the end of the block's result; null for any other block. */
  readonly end: ResultEnd | null;
}

function toItem(block: JsonObject, finder: UpdateFinder): Item {
  switch (block.type) {
    case "text":
      return { block, seq: finder.match(block.text), end: null };
    case "tool_result":
      return { block, seq: null, end: finder.matchResult(readResultText(block)) };
    default:
      return { block, seq: null, end: null };
  }
}

function readResultText({ content }: JsonObject): unknown {
  return typeof content === "string" ? content : toObjects(content)?.find(isText)?.text;
}

function replaceResultText(block: JsonObject, text: string): JsonObject {
  const { content } = block;
  if (typeof content === "string") return { ...block, content: text };
  const said = toObjects(content)?.find(isText);
  return {
    ...block,
    content: toObjects(content)?.map((one) => (one === said ? { ...one, text } : one)),
  };
}

function isText({ type }: JsonObject): boolean {
  return type === "text";
}

function stripWrapping(block: JsonObject): JsonObject {
  return { ...block, text: unwrapUpdate(String(block.text)) };
}
