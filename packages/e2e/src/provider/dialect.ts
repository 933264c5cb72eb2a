// What a mock provider's dialect is.
import type { Caching, Usage } from "../billing/rates.ts";
import type { Block } from "../block.ts";
import type { JsonObject } from "../json.ts";

export type DialectName = "anthropic" | "chat" | "openrouter" | "responses" | "gemini";

/**
 * Where instructions may stand: only at the begin, as older models and strict backends have it, or
 * in mid-conversation too, by the rules of the provider and for the models that take them.
 */
export type InstructionPlaces = "leading" | "by-rule";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** What the model says in one call. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  /** What it thought before; empty where it did not. */
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
}

/** One server-sent event; `event` is left out where the provider names none. */
export interface SseEvent {
  readonly event?: string;
  readonly data: JsonObject | "[DONE]";
}

/** One provider's wire format: pure functions of the request's path and body. */
export interface Dialect {
  readonly name: DialectName;
  readonly caching: Caching;
  handles(path: string): boolean;
  model(path: string, body: JsonObject): string;
  blocks(body: JsonObject): readonly Block[];
  /** Why the real provider would answer 400, or undefined. */
  rejection(body: JsonObject, places?: InstructionPlaces): string | undefined;
  events(answer: Answer): readonly SseEvent[];
  failure(status: number, message: string): JsonObject;
}

/** The answer's text in two deltas, so that clients have something to put together. */
export function deltas(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((delta) => delta !== "");
}

/** Whether a message stands before all that are not instructions. */
export function takeLeading(
  messages: readonly JsonObject[],
  isInstruction: (message: JsonObject) => boolean,
): (message: JsonObject) => boolean {
  const end = messages.findIndex((message) => !isInstruction(message));
  const leading = new Set(end < 0 ? messages : messages.slice(0, end));
  return (message) => leading.has(message);
}
