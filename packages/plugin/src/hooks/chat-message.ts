// chat.message: a prompt on its way in, as rooms see it.
import type { Hooks } from "@opencode-ai/plugin";
import type { ArrivingPrompt } from "../inbox/arrival.ts";
import type { SessionId } from "../storage/records.ts";

type ChatMessage = NonNullable<Hooks["chat.message"]>;
type Input = Parameters<ChatMessage>[0];
type Output = Parameters<ChatMessage>[1];

export function arriving(input: Input, { message, parts }: Output): ArrivingPrompt {
  const { agent = null, model = null, variant = null } = input;
  return {
    sessionId: input.sessionID as SessionId,
    // The live rows: what is changed in them is what the host saves.
    message: message as ArrivingPrompt["message"],
    parts: parts as ArrivingPrompt["parts"][number][],
    asked: { agent, model, variant },
  };
}
