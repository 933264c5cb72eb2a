// A session's messages as the host lists them, without what an undo hides.
import type { PluginInput } from "@opencode-ai/plugin";
import type { SessionMessage } from "../session/history.ts";
import type { SessionId } from "../storage/records.ts";
import { beforeUndo } from "./undo-mark.ts";

/** Rejects where the host refuses. */
export async function listedMessages(
  client: PluginInput["client"],
  sessionId: SessionId,
): Promise<readonly SessionMessage[]> {
  const asked = { path: { id: sessionId }, throwOnError: true } as const;
  const [messages, session] = await Promise.all([
    client.session.messages(asked),
    client.session.get(asked),
  ]);
  const { revert } = session.data;
  const undo = revert ? { messageId: revert.messageID, partId: revert.partID ?? null } : null;
  return beforeUndo(messages.data, undo);
}
