// What models that think before they answer are sent back, and what they refuse.
import { type JsonObject, objects, text } from "../json.ts";
import { listContentBlocks } from "./anthropic-rules.ts";
import type { DialectName } from "./dialect.ts";

/** `aloud`: each main answer has reasoning, and requests are held against the rules for it. */
export type Thinking = "none" | "aloud";

/** Long enough that leaving it out is worth something. */
export function composeThought(turn: number): string {
  return `I think of turn ${turn}. ${"One thing follows from another. ".repeat(40)}`;
}

/** What only the provider can make, and knows again: a block that was changed has another one. */
export function signReasoning(reasoning: string): string {
  return `sig${Bun.hash(reasoning).toString(36)}`;
}

/** Why a thinking model's provider refuses a body, or undefined: every answer in it was thought about. */
export function reasoningProblem(dialect: DialectName, body: JsonObject): string | undefined {
  switch (dialect) {
    case "anthropic":
      return thinkingProblem(objects(body.messages));
    case "chat":
      return contentProblem(objects(body.messages));
    case "openrouter":
      return detailsProblem(objects(body.messages));
    case "responses":
      return itemProblem(objects(body.input));
    case "gemini":
      return signatureProblem(objects(body.contents));
  }
}

/** Blocks go back as they came, and those of the answer whose results stand last go back at all. */
function thinkingProblem(messages: readonly JsonObject[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const changed = listContentBlocks(message).some(
      ({ type, thinking, signature }) =>
        type === "thinking" && signature !== signReasoning(text(thinking)),
    );
    if (changed) return `messages.${index}: Invalid \`signature\` in \`thinking\` block`;
  }
  const spoken = messages.filter(({ role }) => role !== "system");
  const isInLoop = listContentBlocks(spoken.at(-1) ?? {}).some(
    ({ type }) => type === "tool_result",
  );
  const newest = spoken.findLast(({ role }) => role === "assistant");
  if (!isInLoop || !newest || listContentBlocks(newest)[0]?.type === "thinking") return undefined;
  return "messages: Expected `thinking` or `redacted_thinking` in the final assistant message";
}

/** Kimi's words; DeepSeek refuses it as well. */
function contentProblem(messages: readonly JsonObject[]): string | undefined {
  const index = messages.findIndex(
    ({ tool_calls, reasoning_content }) =>
      objects(tool_calls).length > 0 && text(reasoning_content).trim() === "",
  );
  return index < 0
    ? undefined
    : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;
}

/**
 * OpenRouter passes the details on, and the provider that it routes to refuses a call without them, and a block whose
 * signature is missing, is not its own, or comes twice.
 */
function detailsProblem(messages: readonly JsonObject[]): string | undefined {
  for (const [index, { tool_calls, reasoning_details }] of messages.entries()) {
    const details = objects(reasoning_details);
    if (details.length === 0 && objects(tool_calls).length > 0) {
      return `messages[${index}]: reasoning_details are missing beside tool_calls`;
    }
    const said = details.map((detail) => text(detail.text)).join("");
    const signatures = details.map(({ signature }) => text(signature)).filter((one) => one !== "");
    if (details.length > 0 && signatures.join(" ") !== signReasoning(said)) {
      return `messages[${index}]: Invalid \`signature\` in reasoning_details`;
    }
  }
  return undefined;
}

/** A call needs the reasoning that led to it, and reasoning needs what it led to. */
function itemProblem(items: readonly JsonObject[]): string | undefined {
  let reasoning: "none" | "alone" | "followed" = "none";
  for (const { type, role, id, encrypted_content } of items) {
    if (type === "reasoning") {
      if (text(encrypted_content) === "") return `Item '${text(id)}' has no encrypted content.`;
      reasoning = "alone";
    } else if (type === "function_call") {
      if (reasoning === "none") {
        return `Item '${text(id)}' of type 'function_call' was provided without its required 'reasoning' item.`;
      }
      reasoning = "followed";
    } else if (role === "assistant") {
      if (reasoning === "alone") reasoning = "followed";
    } else {
      if (reasoning === "alone") {
        return "Item of type 'reasoning' was provided without its required following item.";
      }
      reasoning = "none";
    }
  }
  return undefined;
}

/** In the turn that is going on, the first call of each answer has its signature. */
function signatureProblem(contents: readonly JsonObject[]): string | undefined {
  const asked = contents.findLastIndex(
    ({ role, parts }) => role === "user" && objects(parts).some((part) => part.text !== undefined),
  );
  for (const content of contents.slice(asked + 1)) {
    const first = objects(content.parts).find((part) => part.functionCall);
    if (first && text(first.thoughtSignature) === "") {
      return "Function call is missing a thought_signature in functionCall parts.";
    }
  }
  return undefined;
}
