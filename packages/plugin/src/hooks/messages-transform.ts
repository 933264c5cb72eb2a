// experimental.chat.messages.transform: the projection, in one splice.
import type { Hooks } from "@opencode-ai/plugin";
import type { SessionRuntime } from "../session/runtime.ts";

type MessagesTransform = NonNullable<Hooks["experimental.chat.messages.transform"]>;
type Messages = Parameters<MessagesTransform>[1]["messages"];

/**
 * The array is the host's own and a title call reads it too: it is changed in one splice, when all
 * that could fail is done.
 */
export async function transformMessages(
  runtime: SessionRuntime,
  messages: Messages,
): Promise<void> {
  const projected = await runtime.project(messages);
  if (projected === messages) return;
  // Replay copies the host's own rows and builds user rows after their pattern.
  messages.splice(0, messages.length, ...(projected as Messages));
}
