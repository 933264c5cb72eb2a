// A finished compaction of OpenCode 2, as the kernel knows one: a row that asks for it, and the summary.
import type { SessionMessage, UserInfo } from "../session/history.ts";
import type { V2Message } from "./context.ts";

const CHECKPOINT = "<conversation-checkpoint>";
const SUMMARY = /<summary>\n?([\s\S]*?)\n?<\/summary>/;

/** What the host's message says; null: it is none. */
export function checkpointText({ role, content }: V2Message): string | null {
  const [part] = content;
  if (role !== "user" || part?.type !== "text") return null;
  return part.text.trimStart().startsWith(CHECKPOINT) ? part.text : null;
}

/** Two rows for the one message, which goes with the second; the model named is that of the call. */
export function checkpointRows(
  info: UserInfo,
  text: string,
): readonly [SessionMessage, SessionMessage] {
  const { id, sessionID, model, time } = info;
  const [whole = text, said = text] = SUMMARY.exec(text) ?? [];
  const summaryId = `${id}/summary`;
  const part = (messageID: string, name: string) => ({
    id: `${messageID}/${name}`,
    messageID,
    sessionID,
  });
  // The newest messages in full, which the host keeps beside the summary; nobody's words.
  const rest = text.replace(whole, () => "");
  const recent = { ...part(id, "recent"), type: "text", text: rest, synthetic: true };
  const asked = { info, parts: [{ ...part(id, "asked"), type: "compaction" }, recent] };
  const answer = {
    id: summaryId,
    sessionID,
    role: "assistant",
    parentID: id,
    ...model,
    time,
    summary: true,
    finish: "stop",
  } as const;
  const summary = { ...part(summaryId, "0"), type: "text", text: said };
  return [asked, { info: answer, parts: [summary] }];
}
