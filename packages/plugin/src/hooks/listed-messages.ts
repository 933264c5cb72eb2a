// A session's messages as the host lists them, without what an undo hides.
import type { PluginInput } from "@opencode-ai/plugin";
import type { SessionMessage } from "../session/history.ts";
import type { SessionId } from "../storage/records.ts";

/** Lists a session's messages. Rejects where the host refuses. */
export async function listedMessages(
  client: PluginInput["client"],
  sessionId: SessionId,
): Promise<readonly SessionMessage[]> {
  const asked = { path: { id: sessionId }, throwOnError: true } as const;
  const [messages, session] = await Promise.all([
    client.session.messages(asked),
    client.session.get(asked),
  ]);
  return beforeUndo(messages.data, session.data.revert);
}

/** Marks where an undo ended the history; the next prompt deletes what follows. */
interface UndoMark {
  readonly messageID: string;
  /** The first hidden part; without it the whole message is hidden. */
  readonly partID?: string | undefined;
}

/** Returns the listed messages that an undo leaves. */
export function beforeUndo<
  Message extends {
    readonly info: { readonly id: string };
    readonly parts: readonly { readonly id: string }[];
  },
>(messages: readonly Message[], undo: UndoMark | undefined): readonly Message[] {
  const at = messages.findIndex(({ info }) => info.id === undo?.messageID);
  const marked = messages[at];
  if (!undo || !marked) return messages;
  if (undo.partID === undefined) return messages.slice(0, at);
  const end = marked.parts.findIndex(({ id }) => id === undo.partID);
  const parts = end === -1 ? marked.parts : marked.parts.slice(0, end);
  return [...messages.slice(0, at), { ...marked, parts }];
}
