// Reads the host's sessions with all of their messages, one after the other.
import type { HostMessage, HostPart } from "@session-runtime/opencode/ledger/message";
import type { Driver, SqlRow } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";

export interface HostSession {
  readonly id: SessionId;
  readonly title: string;
  readonly directory: string;
  /** The first commit of the session's repository, by which the host names it; null outside of a repository. */
  readonly repository: string | null;
  /** The id of the first message that is undone; null where none is. */
  readonly undoneFrom: string | null;
}

/** Says by the form of its id whether a session is OpenCode's; Pi keeps its sessions in files. */
export function isOpenCodeSessionId(id: SessionId): boolean {
  return id.startsWith("ses");
}

/** Returns all sessions, most recently active first. */
export function hostSessions(driver: Driver): readonly HostSession[] {
  return driver.all(SELECT_SESSIONS).map((row) => ({
    id: String(row.id) as SessionId,
    title: String(row.title),
    directory: String(row.directory),
    repository: row.project_id === "global" ? null : String(row.project_id),
    undoneFrom: undoneFrom(row),
  }));
}

const SELECT_SESSIONS = `
  SELECT id, title, directory, project_id, revert FROM session ORDER BY time_updated DESC, id`;

function undoneFrom({ revert }: SqlRow): string | null {
  if (typeof revert !== "string") return null;
  const mark: unknown = JSON.parse(revert);
  return typeof mark === "object" && mark !== null && "messageID" in mark
    ? String(mark.messageID)
    : null;
}

/** Returns the session's messages that are not undone, oldest first. */
export function readMessages(
  driver: Driver,
  { id, undoneFrom }: HostSession,
): readonly HostMessage[] {
  const parts = Map.groupBy(driver.all(SELECT_PARTS, id), (row) => String(row.message_id));
  return driver.all(SELECT_MESSAGES, id, undoneFrom, undoneFrom).map((row) => {
    const messageId = String(row.id);
    const info = { ...JSON.parse(String(row.data)), id: messageId, sessionID: id };
    return { info, parts: (parts.get(messageId) ?? []).map((part) => toHostPart(part, id)) };
  });
}

function toHostPart(row: SqlRow, sessionID: string): HostPart {
  const place = { id: String(row.id), messageID: String(row.message_id), sessionID };
  return { ...JSON.parse(String(row.data)), ...place };
}

const SELECT_PARTS = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id";

const SELECT_MESSAGES = `
  SELECT id, data FROM message WHERE session_id = ? AND (? IS NULL OR id < ?) ORDER BY id`;
