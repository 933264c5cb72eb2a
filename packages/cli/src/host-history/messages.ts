// The host's messages and parts of a session, without most of their text.
import { type Fields, fieldsIn, fieldsOf } from "../../../plugin/src/context/fields.ts";
import { byteLength } from "../../../plugin/src/status/text-size.ts";
import type { Driver, SqlRow } from "../../../plugin/src/storage/driver.ts";

/** A message of the host's as it is stored now. */
export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly StoredPart[];
}

/** What of a part goes to the model. */
export interface StoredPart {
  readonly id: string;
  readonly kind: "text" | "reasoning" | "tool" | "file" | "other";
  /** In UTF-8; of a tool its input and output. */
  readonly bytes: number;
  /** A tool's name with its state, or how a text begins. */
  readonly label: string;
  /** The host's prune has cleared it: what is sent is for the runtime to say. */
  readonly isPruned: boolean;
  /** Never sent. */
  readonly isIgnored: boolean;
}

/** All messages of a session by id, in the host's database. */
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
      const role = textOf(dataOf(row).role);
      return [id, { id, role, parts: (byMessage.get(id) ?? []).map(partOf) }];
    }),
  );
}

const BEGINNING = 60;

function partOf(row: SqlRow): StoredPart {
  const data = dataOf(row);
  const state = fieldsOf(data.state);
  const base = { id: String(row.id), isPruned: false, isIgnored: data.ignored === true };
  switch (data.type) {
    case "text":
    case "reasoning": {
      const text = textOf(data.text);
      return { ...base, kind: data.type, bytes: byteLength(text), label: beginning(text) };
    }
    case "tool": {
      const input = JSON.stringify(state.input ?? {});
      const output = textOf(state.output) + textOf(state.error);
      return {
        ...base,
        kind: "tool",
        bytes: byteLength(input) + byteLength(output),
        label: `${textOf(data.tool)} (${textOf(state.status)})`,
        isPruned: fieldsOf(state.time).compacted !== undefined,
      };
    }
    case "file":
      return { ...base, kind: "file", bytes: 0, label: textOf(data.filename ?? data.mime) };
    default:
      return { ...base, kind: "other", bytes: 0, label: textOf(data.type) };
  }
}

function beginning(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= BEGINNING ? line : `${line.slice(0, BEGINNING - 1)}…`;
}

function dataOf(row: SqlRow): Fields {
  return fieldsIn(String(row.data)) ?? {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
