// What templates such as Mistral's refuse: turns that do not alternate.
import { type JsonObject, objects, text } from "../json.ts";

/** `alternating`: as the chat templates of Mistral's models under llama.cpp and vLLM have it. */
export type TurnOrder = "any" | "alternating";

/**
 * Why such a template refuses a body of chat completions, or undefined. The user's messages and answers
 * without calls take turns; calls and their results stand within an answer, so that after results only
 * an answer can come.
 */
export function alternationProblem(body: JsonObject): string | undefined {
  const turns = objects(body.messages).filter(isTurn);
  const wrong = turns.findIndex(({ role }, index) => (text(role) === "user") !== (index % 2 === 0));
  return wrong < 0
    ? undefined
    : "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
}

function isTurn({ role, tool_calls }: JsonObject): boolean {
  return role === "user" || (role === "assistant" && objects(tool_calls).length === 0);
}
