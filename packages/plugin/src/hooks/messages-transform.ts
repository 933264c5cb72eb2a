// experimental.chat.messages.transform: the projection, in one splice.
import type { Hooks } from "@opencode-ai/plugin";
import type { SentHistory } from "../features/room-hooks.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { SessionId } from "../storage/records.ts";

type MessagesTransform = NonNullable<Hooks["experimental.chat.messages.transform"]>;
type Messages = Parameters<MessagesTransform>[1]["messages"];

/**
 * The array is the host's own and a title call reads it too: it is changed in one splice, when all
 * that could fail is done. `sent` hears of every history but that of a compaction's own call.
 */
export async function transformMessages(
  runtime: SessionRuntime,
  messages: Messages,
  sent: (history: SentHistory) => void,
): Promise<void> {
  const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
  const isBoundary = sessionId !== undefined && !runtime.isCompacting(sessionId);
  const host = [...messages];
  const projected = await runtime.project(messages);
  if (isBoundary) sent({ sessionId, host, sent: [...projected] });
  if (projected === messages) return;
  // Replay copies the host's own rows and builds user rows after their pattern.
  messages.splice(0, messages.length, ...(projected as Messages));
}
