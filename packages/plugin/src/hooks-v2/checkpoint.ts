// Translates a finished compaction of OpenCode 2 into the kernel's form: a row that asks for it, and the summary.
import type { SessionMessage, UserInfo } from "../session/history.ts";
import type { V2Message } from "./context.ts";

const CHECKPOINT_TAG = "<conversation-checkpoint>";
const SUMMARY_PATTERN = /<summary>\n?([\s\S]*?)\n?<\/summary>/;

/** Returns the text of the host's compaction message; null for any other message. */
export function readCheckpointText({ role, content }: V2Message): string | null {
  const [part] = content;
  if (role !== "user" || part?.type !== "text") return null;
  return part.text.trimStart().startsWith(CHECKPOINT_TAG) ? part.text : null;
}

/**
 * Builds two rows for the compaction message, which the second row carries; the model is that of the call.
 */
export function createCheckpointRows(
  info: UserInfo,
  text: string,
): readonly [SessionMessage, SessionMessage] {
  const { id, sessionID, model, time } = info;
  const [whole = text, said = text] = SUMMARY_PATTERN.exec(text) ?? [];
  const summaryId = `${id}/summary`;
  const createPartIds = (messageID: string, name: string) => ({
    id: `${messageID}/${name}`,
    messageID,
    sessionID,
  });
  // The rest holds the newest messages in full, which the host keeps beside the summary; no user typed them.
  const rest = text.replace(whole, () => "");
  const recent = { ...createPartIds(id, "recent"), type: "text", text: rest, synthetic: true };
  const asked = { info, parts: [{ ...createPartIds(id, "asked"), type: "compaction" }, recent] };
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
  const summary = { ...createPartIds(summaryId, "0"), type: "text", text: said };
  return [asked, { info: answer, parts: [summary] }];
}
