// Reads a session's messages and parts from the host, without most of their text.
import {
  parseFields,
  toFields,
  type UnknownFields,
} from "@session-runtime/opencode/context/fields";
import { countBytes } from "@session-runtime/opencode/status/updates";
import type { Driver, SqlRow } from "@session-runtime/opencode/storage/driver";

/** Describes a message as the host stores it now. */
export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly StoredPart[];
}

/** Holds what a part sends to the model. */
export interface StoredPart {
  readonly id: string;
  readonly kind: "text" | "reasoning" | "tool" | "file" | "other";
  /** The size in UTF-8; for a tool, of its input and output. */
  readonly bytes: number;
  /** A tool's name with its state, or the start of a text. */
  readonly label: string;
  /** Says whether the host's prune has cleared it; the runtime decides what is sent. */
  readonly isPruned: boolean;
  /** Says whether the part is never sent. */
  readonly isIgnored: boolean;
}

/** Returns all messages of a session by id, from the host's database. */
export function messagesIn(driver: Driver, sessionId: string): ReadonlyMap<string, StoredMessage> {
  const messages = driver.all("SELECT id, data FROM message WHERE session_id = ?", sessionId);
  const parts = driver.all(
    "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id",
    sessionId,
  );
  const byMessage = Map.groupBy(parts, (row) => String(row.message_id));
  return new Map(
    messages.map((row) => {
      const id = String(row.id);
      const role = toText(parseData(row).role);
      return [id, { id, role, parts: (byMessage.get(id) ?? []).map(toStoredPart) }];
    }),
  );
}

const BEGINNING = 60;

function toStoredPart(row: SqlRow): StoredPart {
  const data = parseData(row);
  const state = toFields(data.state);
  const base = { id: String(row.id), isPruned: false, isIgnored: data.ignored === true };
  switch (data.type) {
    case "text":
    case "reasoning": {
      const text = toText(data.text);
      return { ...base, kind: data.type, bytes: countBytes(text), label: beginning(text) };
    }
    case "tool": {
      const input = JSON.stringify(state.input ?? {});
      const output = toText(state.output) + toText(state.error);
      return {
        ...base,
        kind: "tool",
        bytes: countBytes(input) + countBytes(output),
        label: `${toText(data.tool)} (${toText(state.status)})`,
        isPruned: toFields(state.time).compacted !== undefined,
      };
    }
    case "file":
      return { ...base, kind: "file", bytes: 0, label: toText(data.filename ?? data.mime) };
    default:
      return { ...base, kind: "other", bytes: 0, label: toText(data.type) };
  }
}

function beginning(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= BEGINNING ? line : `${line.slice(0, BEGINNING - 1)}…`;
}

function parseData(row: SqlRow): UnknownFields {
  return parseFields(String(row.data)) ?? {};
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
