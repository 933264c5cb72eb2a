// The mock of Anthropic Messages.
import { type Block, createBlock } from "../block.ts";
import { type JsonObject, objects, text } from "../json.ts";
import { anthropicRejection, listContentBlocks } from "./anthropic-rules.ts";
import { type Answer, type Dialect, deltas, type SseEvent } from "./dialect.ts";
import { signReasoning } from "./reasoning.ts";

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: "anthropic",
  caching: "breakpoints",
  handles: (path) => path.endsWith("/messages"),
  model: (_path, body) => text(body.model),
  blocks,
  rejection: anthropicRejection,
  events,
  failure: (status, message) => ({
    type: "error",
    error: { type: errorType(status), message },
  }),
};

function blocks(body: JsonObject): readonly Block[] {
  const system = typeof body.system === "string" ? [{ text: body.system }] : objects(body.system);
  return [
    ...objects(body.tools).map((tool) => createBlock("tools", "tool", tool)),
    ...system.map((block) => createBlock("system", "system", block)),
    ...objects(body.messages).flatMap((message) =>
      listContentBlocks(message).map((block) => createBlock("messages", text(message.role), block)),
    ),
  ];
}

function errorType(status: number): string {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return "api_error";
  }
}

function events(answer: Answer): readonly SseEvent[] {
  const contents = [
    ...(answer.reasoning ? [thinkingBlock(answer.reasoning)] : []),
    ...(answer.text ? [textBlock(answer.text)] : []),
    ...answer.calls.map((call) => ({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      parts: deltas(JSON.stringify(call.input)).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      })),
    })),
  ];
  return [
    messageStart(answer),
    ...contents.flatMap(({ start, parts }, index) => [
      named({ type: "content_block_start", index, content_block: start }),
      ...parts.map((delta) => named({ type: "content_block_delta", index, delta })),
      named({ type: "content_block_stop", index }),
    ]),
    named({
      type: "message_delta",
      delta: {
        stop_reason: answer.calls.length > 0 ? "tool_use" : "end_turn",
        stop_sequence: null,
      },
      usage: { output_tokens: answer.usage.outputTokens },
    }),
    named({ type: "message_stop" }),
  ];
}

function thinkingBlock(whole: string) {
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    parts: [
      ...deltas(whole).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: signReasoning(whole) },
    ],
  };
}

function textBlock(whole: string) {
  return {
    start: { type: "text", text: "" },
    parts: deltas(whole).map((delta) => ({ type: "text_delta", text: delta })),
  };
}

function messageStart({ id, model, usage }: Answer): SseEvent {
  return named({
    type: "message_start",
    message: {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.inputTokens,
        cache_creation_input_tokens: usage.writeTokens,
        cache_read_input_tokens: usage.readTokens,
        output_tokens: 1,
      },
    },
  });
}

function named(data: JsonObject & { readonly type: string }): SseEvent {
  return { event: data.type, data };
}
