// The mock of OpenAI chat completions.
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

/** Where the mock of OpenRouter is found on the common port. */
export const OPENROUTER_PATH = "/openrouter/";

/** OpenAI chat completions, as strict as the stricter of its compatible backends. */
export const chat: Dialect = {
  name: "chat",
  caching: "automatic",
  handles: (path) => path.endsWith("/chat/completions"),
  model: (_path, body) => text(body.model),
  blocks,
  rejection: (body, places) => systemProblem(body, places) ?? turnsProblem(body),
  events,
  failure: (status, message) => ({
    error: { message, type: status === 400 ? "invalid_request_error" : "server_error", code: null },
  }),
};

/** OpenRouter speaks the same, below a path of its own, and says what was thought in `reasoning_details`. */
export const openrouter: Dialect = {
  ...chat,
  name: "openrouter",
  handles: (path) => path.startsWith(OPENROUTER_PATH) && chat.handles(path),
  rejection: (body, places) => misplacedProblem(body, places) ?? turnsProblem(body),
  events: (answer) => eventsWith(answer, detailsOf(answer)),
};

function isSystem(message: JsonObject): boolean {
  return message.role === "system" || message.role === "developer";
}

function blocks(body: JsonObject): readonly Block[] {
  const isLeading = takeLeading(objects(body.messages), isSystem);
  return [
    ...objects(body.tools).map((tool) => createBlock("tools", "tool", tool)),
    ...objects(body.messages).map((message) =>
      createBlock(isLeading(message) ? "system" : "messages", text(message.role), message),
    ),
  ];
}

function systemProblem(body: JsonObject, places: InstructionPlaces = "leading") {
  if (places === "by-rule" || objects(body.messages).findLastIndex(isSystem) <= 0) return undefined;
  return "System message must be at the beginning, and there may be only one.";
}

function misplacedProblem(body: JsonObject, places: InstructionPlaces = "leading") {
  const messages = objects(body.messages);
  const isLeading = takeLeading(messages, isSystem);
  const isMisplaced = messages.some((message) => isSystem(message) && !isLeading(message));
  return places === "leading" && isMisplaced
    ? "System messages must be at the beginning."
    : undefined;
}

function turnsProblem(body: JsonObject): string | undefined {
  const messages = objects(body.messages);
  const turns = messages.filter((message) => !isSystem(message));
  if (turns.length === 0) return "messages: at least one message is required";
  if (turns[0]?.role !== "user") return "messages: the first message must be the user's";
  // An instruction between a call and its result parts them, wherever it may stand else.
  return messages.map(emptiness).find(Boolean) ?? pairingProblem(messages);
}

function emptiness(message: JsonObject, index: number): string | undefined {
  const said = typeof message.content === "string" ? message.content.trim() : message.content;
  const filled = Array.isArray(said) ? said.length > 0 : Boolean(said);
  if (filled || objects(message.tool_calls).length > 0 || message.role === "tool") return undefined;
  return `messages[${index}]: content of the ${text(message.role)} message is empty`;
}

function pairingProblem(messages: readonly JsonObject[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    const id = text(message.tool_call_id);
    if (message.role === "tool") {
      if (!open.includes(id)) return `'tool' message ${id} follows no matching 'tool_calls'`;
      open = open.filter((other) => other !== id);
    } else {
      if (open.length > 0) break;
      open = objects(message.tool_calls).map((call) => text(call.id));
    }
  }
  return open.length > 0
    ? `An assistant message with 'tool_calls' must be followed by tool messages: ${open.join(", ")}`
    : undefined;
}

function events(answer: Answer): readonly SseEvent[] {
  return eventsWith(
    answer,
    deltas(answer.reasoning).map((reasoning_content) => ({ reasoning_content })),
  );
}

/** OpenRouter streams the text of a thinking block in details of its own, and its signature in a last one. */
function detailsOf({ reasoning }: Answer): readonly JsonObject[] {
  if (reasoning === "") return [];
  const block = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  return [
    ...deltas(reasoning).map((said) => ({ reasoning: said, details: { ...block, text: said } })),
    { details: { ...block, text: "", signature: signReasoning(reasoning) } },
  ].map(({ details, ...delta }) => ({ ...delta, reasoning_details: [details] }));
}

function eventsWith(answer: Answer, thought: readonly JsonObject[]): readonly SseEvent[] {
  const finish_reason = answer.calls.length > 0 ? "tool_calls" : "stop";
  return [
    ...thought.map((delta) => chunk(answer, { role: "assistant", ...delta }, null)),
    ...deltas(answer.text).map((content) => chunk(answer, { role: "assistant", content }, null)),
    ...answer.calls.map((call, index) =>
      chunk(answer, { role: "assistant", tool_calls: [toolCall(call, index)] }, null),
    ),
    chunk(answer, {}, finish_reason),
    { data: { ...head(answer), choices: [], usage: toUsage(answer) } },
    { data: "[DONE]" },
  ];
}

function toolCall(call: Answer["calls"][number], index: number): JsonObject {
  const { id, name, input } = call;
  return { index, id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function head({ id, model }: Answer): JsonObject {
  return { id, object: "chat.completion.chunk", created: 0, model };
}

function chunk(answer: Answer, delta: JsonObject, finish_reason: string | null): SseEvent {
  return { data: { ...head(answer), choices: [{ index: 0, delta, finish_reason }] } };
}

function toUsage({ usage }: Answer): JsonObject {
  const prompt = promptTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.readTokens },
  };
}
