// Writes and reads a session as JSON lines: a head, rows and a checksum. Pure.
// Folder: Export and import of sessions.
import { createHash } from "node:crypto";
import { isFields, parseFields } from "@session-runtime/opencode/context/fields";
import { makeJsonVisible } from "@session-runtime/opencode/status/wording";
import type { SqlValue } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { parseSessionId } from "@session-runtime/opencode/storage/session-id";
import type { SessionRow } from "@session-runtime/opencode/storage/session-rows";

/** Holds the content of the first line. */
interface ExportHead {
  readonly format: typeof FORMAT;
  readonly formatVersion: typeof FORMAT_VERSION;
  /** The schema version of the rows' database. */
  readonly schemaVersion: number;
  readonly sessionId: SessionId;
  readonly exportedAtMs: number;
}

const FORMAT = "session-runtime/session";
const FORMAT_VERSION = 1;

/** Holds a session as it is in a file. */
export interface SessionFile {
  readonly head: ExportHead;
  readonly rows: readonly SessionRow[];
}

/** Says why a text is not a complete export. */
export interface UnreadableFile {
  readonly kind: "foreign" | "newer" | "older" | "half" | "changed" | "malformed";
  readonly message: string;
}

export type ReadFile =
  | { readonly kind: "read"; readonly file: SessionFile }
  | { readonly kind: "unreadable"; readonly why: UnreadableFile };

/** Writes JSON lines: a head, a line per row, and an end with the number of rows and all lines' SHA-256. */
export function writeSessionFile(
  rows: readonly SessionRow[],
  about: Pick<ExportHead, "schemaVersion" | "sessionId" | "exportedAtMs">,
): string {
  const head: ExportHead = { format: FORMAT, formatVersion: FORMAT_VERSION, ...about };
  const body = [head, ...rows].map((line) => `${makeJsonVisible(JSON.stringify(line))}\n`).join("");
  return `${body}${JSON.stringify({ end: true, rows: rows.length, sha256: digestText(body) })}\n`;
}

/** Reads an export, and refuses one that is incomplete or was changed. */
export function readSessionFile(text: string): ReadFile {
  const lines = text.split("\n");
  const head = parseHead(lines[0] ?? "");
  if (head.kind === "unreadable") return head;
  if (lines.pop() !== "") return unreadable("half", "its last line is cut off");
  const last = lines.pop() ?? "";
  const end = parseFields(last);
  if (end?.end !== true) return unreadable("half", "its last line is missing");
  const body = text.slice(0, text.length - last.length - 1);
  if (end.sha256 !== digestText(body)) {
    return unreadable("changed", "its content doesn't match the checksum in its last line");
  }
  const rows = lines.slice(1).map(parseRow);
  if (rows.length !== end.rows) {
    return unreadable("half", `it holds ${rows.length} rows, but its last line says ${end.rows}`);
  }
  const broken = rows.indexOf(null);
  if (broken !== -1) return unreadable("malformed", `line ${broken + 2} is not a row`);
  const whole = rows.filter((row) => row !== null);
  return { kind: "read", file: { head: head.head, rows: whole } };
}

type ReadHead =
  | { readonly kind: "head"; readonly head: ExportHead }
  | { readonly kind: "unreadable"; readonly why: UnreadableFile };

function parseHead(line: string): ReadHead {
  const head = parseFields(line);
  if (head?.format !== FORMAT) {
    return unreadable("foreign", "it is not an export of session-runtime");
  }
  const { formatVersion, schemaVersion, exportedAtMs } = head;
  if (typeof formatVersion === "number" && formatVersion > FORMAT_VERSION) {
    return unreadable("newer", "a newer session-runtime wrote it");
  }
  const isWhole =
    formatVersion === FORMAT_VERSION &&
    typeof schemaVersion === "number" &&
    typeof exportedAtMs === "number";
  if (!isWhole) return unreadable("malformed", "its first line is incomplete");
  const sessionId = parseSessionId(String(head.sessionId));
  if (sessionId === null) return unreadable("malformed", "its first line names no session");
  return {
    kind: "head",
    head: { format: FORMAT, formatVersion, schemaVersion, sessionId, exportedAtMs },
  };
}

function parseRow(line: string): SessionRow | null {
  const fields = parseFields(line);
  const row = fields?.row;
  if (typeof fields?.table !== "string" || !isFields(row)) return null;
  const values = Object.entries(row).filter((entry): entry is [string, SqlValue] =>
    isValue(entry[1]),
  );
  if (values.length !== Object.keys(row).length) return null;
  return { table: fields.table, row: Object.fromEntries(values) };
}

function isValue(value: unknown): boolean {
  return value === null || typeof value === "string" || Number.isSafeInteger(value);
}

function unreadable(kind: UnreadableFile["kind"], message: string) {
  return { kind: "unreadable", why: { kind, message } } as const;
}

function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
