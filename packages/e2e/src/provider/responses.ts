// The mock of OpenAI Responses.
import { promptTokens } from "../billing/rates.ts";
import { type Block, createBlock } from "../block.ts";
import { type JsonObject, objects, text } from "../json.ts";
import {
  type Answer,
  type Dialect,
  deltas,
  type InstructionPlaces,
  type SseEvent,
  takeLeading,
} from "./dialect.ts";
import { signReasoning } from "./reasoning.ts";

/** OpenAI Responses. */
export const responses: Dialect = {
  name: "responses",
  caching: "automatic",
  handles: (path) => path.endsWith("/responses"),
  model: (_path, body) => text(body.model),
  blocks,
  rejection,
  events,
  failure: (status, message) => ({
    error: { message, type: status === 400 ? "invalid_request_error" : "server_error", code: null },
  }),
};

function isSystem(item: JsonObject): boolean {
  return item.role === "system" || item.role === "developer";
}

function blocks(body: JsonObject): readonly Block[] {
  const instructions = text(body.instructions);
  const isLeading = takeLeading(objects(body.input), isSystem);
  return [
    ...objects(body.tools).map((tool) => createBlock("tools", "tool", tool)),
    ...(instructions ? [createBlock("system", "instructions", instructions)] : []),
    ...objects(body.input).map((item) =>
      createBlock(
        isLeading(item) ? "system" : "messages",
        text(item.role) || text(item.type),
        item,
      ),
    ),
  ];
}

function rejection(body: JsonObject, places: InstructionPlaces = "leading"): string | undefined {
  const all = objects(body.input);
  const items = all.filter((item) => !isSystem(item));
  const leading = all.findIndex((item) => !isSystem(item));
  if (places === "leading" && all.slice(leading).some(isSystem)) {
    return "input: instructions must be at the beginning";
  }
  if (items.length === 0) return "input: at least one item is required";
  if (items[0]?.role !== "user") return "input: the first item must be the user's";
  const empty = items.findIndex((item) => Array.isArray(item.content) && item.content.length === 0);
  if (empty >= 0) return `input[${empty}]: content must not be empty`;
  const open = new Set<string>();
  for (const item of items) {
    const id = text(item.call_id);
    if (item.type === "function_call") open.add(id);
    if (item.type === "function_call_output" && !open.delete(id)) {
      return `No tool call found for function call output with call_id ${id}.`;
    }
  }
  return open.size > 0
    ? `No tool output found for function call ${[...open].join(", ")}.`
    : undefined;
}

function events(answer: Answer): readonly SseEvent[] {
  const thought = answer.reasoning ? [reasoningItem(answer)] : [];
  const spoken = answer.text ? [message(answer)] : [];
  const called = answer.calls.map((call) => functionCall(call));
  const items = [...thought, ...spoken, ...called].flatMap(
    ({ added, parts, done }, output_index) => [
      named({ type: "response.output_item.added", output_index, item: added }),
      ...parts.map((part) => named({ ...part, output_index, item_id: text(added.id) })),
      named({ type: "response.output_item.done", output_index, item: done }),
    ],
  );
  const head = { id: answer.id, created_at: 0, model: answer.model };
  return [
    named({ type: "response.created", response: head }),
    ...items,
    named({ type: "response.completed", response: { ...head, ...completion(answer) } }),
  ];
}

interface Item {
  readonly added: JsonObject;
  readonly parts: readonly (JsonObject & { readonly type: string })[];
  readonly done: JsonObject;
}

function reasoningItem({ id, reasoning }: Answer): Item {
  const base = { type: "reasoning", id: `rs_${id}` };
  const encrypted_content = signReasoning(reasoning);
  return {
    added: { ...base, encrypted_content, summary: [] },
    parts: [
      { type: "response.reasoning_summary_part.added", summary_index: 0 },
      ...deltas(reasoning).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        summary_index: 0,
        delta,
      })),
    ],
    done: { ...base, encrypted_content, summary: [{ type: "summary_text", text: reasoning }] },
  };
}

function message(answer: Answer): Item {
  const base = { type: "message", id: `msg_${answer.id}`, role: "assistant" };
  return {
    added: { ...base, status: "in_progress", content: [] },
    parts: deltas(answer.text).map((delta) => ({
      type: "response.output_text.delta",
      content_index: 0,
      delta,
    })),
    done: { ...base, status: "completed", content: [{ type: "output_text", text: answer.text }] },
  };
}

function functionCall({ id, name, input }: Answer["calls"][number]): Item {
  const base = { type: "function_call", id: `fc_${id}`, call_id: id, name };
  const whole = JSON.stringify(input);
  return {
    added: { ...base, arguments: "", status: "in_progress" },
    parts: deltas(whole).map((delta) => ({
      type: "response.function_call_arguments.delta",
      delta,
    })),
    done: { ...base, arguments: whole, status: "completed" },
  };
}

function completion({ usage }: Answer): JsonObject {
  return {
    incomplete_details: null,
    usage: {
      input_tokens: promptTokens(usage),
      input_tokens_details: { cached_tokens: usage.readTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function named(data: JsonObject & { readonly type: string }): SseEvent {
  return { event: data.type, data };
}
