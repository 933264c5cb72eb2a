// A provider for a real host: what it is sent, as the checks read it, and an answer as Anthropic's API streams it.
import type { V2Message, V2Part } from "../../src/hooks-v2/context.ts";
import type { Answer, SentRequest } from "./host.ts";

type Json = Record<string, unknown>;

/** Null: a title's request, or another that no check is about. */
export function parseSent(body: Json, headers: Headers): SentRequest | null {
  const kind = headers.get("x-kind");
  if (kind !== "primary" && kind !== "compaction") return null;
  const messages = (body.messages as readonly Json[]).flatMap(toMessages);
  const tools = ((body.tools ?? []) as readonly Json[]).map(({ name }) => String(name));
  return { sessionId: headers.get("x-session") ?? "", kind, messages, tools };
}

/** There a user's message holds results and the host's updates, too: here each of them is one. */
function toMessages({ role, content }: Json): readonly V2Message[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = (blocks as readonly Json[]).map(toPart);
  if (role === "assistant") return [{ role, content: parts }];
  return parts.map((part) => ({ role: wireRole(part), content: [part] }));
}

function wireRole(part: V2Part): "user" | "tool" | "system" {
  if (part.type === "tool-result") return "tool";
  const isUpdate = part.type === "text" && part.text.startsWith("<system-update>");
  return isUpdate ? "system" : "user";
}

function toPart(block: Json): V2Part {
  switch (block.type) {
    case "tool_use":
      return {
        type: "tool-call",
        id: String(block.id),
        name: String(block.name),
        input: block.input,
      };
    case "tool_result": {
      const type = block.is_error ? "error" : "text";
      const value = Array.isArray(block.content)
        ? block.content.map((part: Json) => part.text ?? "").join("\n")
        : block.content;
      return {
        type: "tool-result",
        id: String(block.tool_use_id),
        name: "",
        result: { type, value },
      };
    }
    case "thinking":
      return { type: "reasoning", text: String(block.thinking) };
    default:
      return { type: "text", text: String(block.text ?? "") };
  }
}

export function anthropicAnswer({ text, calls = [] }: Answer): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: "msg",
    type: "message",
    role: "assistant",
    content: [],
    model: "opus",
    usage,
  };
  const blocks = [
    ...(text === ""
      ? []
      : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }]),
    ...calls.map(({ id, name, input }) => ({
      start: { type: "tool_use", id, name, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    })),
  ];
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const events: readonly Json[] = [
    { type: "message_start", message },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stop, usage },
    { type: "message_stop" },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}
