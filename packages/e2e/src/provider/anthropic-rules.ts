// The requests that the Messages API rejects with 400.
import { isObject, type JsonObject, objects, text } from "../json.ts";

import type { InstructionPlaces } from "./dialect.ts";

const MAXIMUM_BREAKPOINTS = 4;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** A message's content as blocks; a plain string is one text block. */
export function listContentBlocks(message: JsonObject): readonly JsonObject[] {
  if (typeof message.content === "string") return [{ type: "text", text: message.content }];
  return objects(message.content);
}

/** What the Messages API answers 400 to. */
export function anthropicRejection(
  body: JsonObject,
  places: InstructionPlaces = "leading",
): string | undefined {
  const messages = objects(body.messages);
  const takes = places === "by-rule" && INSTRUCTED.test(text(body.model));
  return (
    (takes ? instructionProblem(messages) : undefined) ??
    messageProblem(takes ? messages.filter(({ role }) => role !== "system") : messages) ??
    systemProblem(body) ??
    toolProblem(objects(body.tools)) ??
    breakpointProblem(body)
  );
}

/** The models that take instructions in mid-conversation. */
const INSTRUCTED = /^claude-(?:opus-4-[89]|(?:fable|haiku|mythos|opus|sonnet)-[5-9])/;

/** After a user turn, last or before an assistant's, and never two in a row. */
function instructionProblem(messages: readonly JsonObject[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "system") continue;
    if (index === 0) return "messages.0: use the top-level 'system' parameter";
    const content = listContentBlocks(message);
    const isText = content.every((block) => block.type === "text" && text(block.text).trim());
    if (content.length === 0 || !isText) return `messages.${index}: system content must be text`;
    if (messages[index - 1]?.role !== "user") {
      return `messages.${index}: role 'system' must follow a user turn`;
    }
    const next = messages[index + 1];
    if (next && next.role !== "assistant") {
      return `messages.${index}: role 'system' must be last or precede an assistant turn`;
    }
  }
  return undefined;
}

function messageProblem(messages: readonly JsonObject[]): string | undefined {
  if (messages.length === 0) return "messages: at least one message is required";
  const strange = messages.find(({ role }) => role !== "user" && role !== "assistant");
  if (strange) return `messages: unexpected role "${text(strange.role)}"`;
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  for (const [index, message] of messages.entries()) {
    const content = listContentBlocks(message);
    if (content.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const empty = content.find((block) => block.type === "text" && !text(block.text).trim());
    if (empty) return `messages.${index}: text content blocks must contain non-whitespace text`;
  }
  return pairingProblem(joinTurns(messages)) ?? prefillProblem(messages);
}

interface Turn {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

/** Neighbours of one role are one turn to the API. */
function joinTurns(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = text(message.role);
    const last = turns.at(-1);
    const content = listContentBlocks(message);
    if (last?.role === role)
      turns[turns.length - 1] = { role, content: [...last.content, ...content] };
    else turns.push({ role, content });
  }
  return turns;
}

function pairingProblem(turns: readonly Turn[]): string | undefined {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, turn] of turns.entries()) {
    const results = turn.content.filter((block) => block.type === "tool_result");
    const answered = results.map((block) => text(block.tool_use_id));
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) return `messages.${index - 1}: ${unanswered(missing)}`;
    const unexpected = answered.filter((id) => !open.includes(id));
    if (unexpected.length > 0) {
      return `messages.${index}: unexpected tool_use_id in tool_result blocks: ${unexpected}`;
    }
    if (new Set(answered).size < answered.length) {
      return `messages.${index}: each tool_use must have a single result`;
    }
    if (turn.content.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      return `messages.${index}: tool_result blocks must come first in the content`;
    }
    open = turn.content.filter(({ type }) => type === "tool_use").map(({ id }) => text(id));
    const repeated = open.find((id, at) => seen.has(id) || open.indexOf(id) !== at);
    if (repeated) return `messages.${index}: tool_use ids must be unique: ${repeated}`;
    for (const id of open) seen.add(id);
  }
  return open.length > 0 ? `messages.${turns.length - 1}: ${unanswered(open)}` : undefined;
}

function unanswered(ids: readonly string[]): string {
  return `tool_use ids were found without tool_result blocks immediately after: ${ids.join(", ")}`;
}

function prefillProblem(messages: readonly JsonObject[]): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  const ending = text(listContentBlocks(last).at(-1)?.text);
  return ending === ending.trimEnd()
    ? undefined
    : "messages: final assistant content cannot end with trailing whitespace";
}

function systemProblem(body: JsonObject): string | undefined {
  const empty = objects(body.system).some((block) => !text(block.text).trim());
  return empty ? "system: text content blocks must be non-empty" : undefined;
}

function toolProblem(tools: readonly JsonObject[]): string | undefined {
  const names = tools.map((tool) => text(tool.name));
  const bad = names.find((name) => !TOOL_NAME.test(name));
  if (bad !== undefined) return `tools: name "${bad}" does not match ${TOOL_NAME.source}`;
  if (new Set(names).size < names.length) return "tools: tool names must be unique";
  return tools.some((tool) => !isObject(tool.input_schema))
    ? "tools: input_schema is required"
    : undefined;
}

function breakpointProblem(body: JsonObject): string | undefined {
  const marked = [
    ...objects(body.tools),
    ...objects(body.system),
    ...objects(body.messages).flatMap(listContentBlocks),
  ].filter((block) => block.cache_control !== undefined);
  return marked.length > MAXIMUM_BREAKPOINTS
    ? `A maximum of ${MAXIMUM_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`
    : undefined;
}
