// The host's sessions with all that was said in them, one after the other.
import type { HostMessage, HostPart } from "../../../plugin/src/ledger/message.ts";
import type { Driver, SqlRow } from "../../../plugin/src/storage/driver.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";

export interface HostSession {
  readonly id: SessionId;
  readonly title: string;
  readonly directory: string;
  /** Its first commit, as the host has it; null: it was in none. */
  readonly repository: string | null;
  /** From here on it is undone; null: nothing is. */
  readonly undoneFrom: string | null;
}

/** By the form of its id: Pi's stand in files of their own. */
export function isOfHost(id: SessionId): boolean {
  return id.startsWith("ses");
}

/** Most recently active first. */
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

/** What stands in the session, oldest first. */
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
