// Documents and their passages, as they are indexed and read back.
import { inflateRawSync } from "node:zlib";
import type { Ref, RefKind } from "../ledger/ref.ts";
import type { SqlRow } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import { PASSAGES_PER_COLLECTION } from "./collection.ts";
import type { DocumentKind } from "./columns.ts";

// Passages: a record's text split into groups of lines, each of which is searched separately.

export interface Passage {
  /** The number of the passage's first line in the record, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Sets a passage's length in UTF-16 units: long enough to hold a question's words together, short enough to
 * quote.
 */
const TARGET_PASSAGE_CHARS = 1_500;

/**
 * Splits a text into passages that join to the whole; a line that is too long for one passage spans several,
 * each with the line's number.
 */
export function splitPassages(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  let line = 1;
  while (start < text.length) {
    const end = findPassageEnd(text, start);
    const piece = text.slice(start, end);
    passages.push({ line, text: piece });
    line += countLineBreaks(piece);
    start = end;
  }
  return passages;
}

function findPassageEnd(text: string, start: number): number {
  const limit = start + TARGET_PASSAGE_CHARS;
  if (limit >= text.length) return text.length;
  const lineEnd = text.lastIndexOf("\n", limit - 1);
  if (lineEnd >= start) return lineEnd + 1;
  // The split never falls between the halves of a surrogate pair.
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** A document as it is indexed, without its text. */
export interface DocumentRecord {
  /** The document's key: a part's id, a commit's hash, or a memory's ref. */
  readonly key: string;
  /** The message's id; empty if there is none. */
  readonly messageId: string;
  readonly kind: DocumentKind;
  /** Describes the document on one line: a call in its own words, any other text by saying whose it is. */
  readonly words: string;
  /** Milliseconds since 1970; 0 if the time is unknown. */
  readonly madeAtMs: number;
}

/** Says when a message was made. */
export type MessageTime = Pick<DocumentRecord, "madeAtMs" | "messageId">;

/**
 * Compares by time. Ids rise with time on some hosts only, so they decide only if times are equal or unknown.
 */
export function compareTime(one: MessageTime, other: MessageTime): number {
  if (one.madeAtMs !== other.madeAtMs) return one.madeAtMs - other.madeAtMs;
  if (one.messageId === other.messageId) return 0;
  return one.messageId < other.messageId ? -1 : 1;
}

/** A document that is about to be indexed; it counts as indexed once its last passage has been indexed. */
export interface NewDocument {
  readonly record: DocumentRecord;
  readonly digest: string;
  readonly passages: readonly Passage[];
}

export interface IndexedDocument extends DocumentRecord {
  /** The id of the document's first passage. */
  readonly id: number;
  readonly ref: Ref;
  readonly sessionId: SessionId;
  readonly passages: number;
}

/** Locates a passage by its document and its position in it, from 0. */
export interface PassagePlace {
  readonly part: IndexedDocument;
  readonly at: number;
}

/** Maps a document's kind to the kind of its ref. */
export const REF_KINDS: Readonly<Record<DocumentKind, RefKind>> = {
  user: "r",
  assistant: "r",
  output: "r",
  commit: "c",
  memory: "m",
  segment: "h",
};

const DOCUMENT_KINDS = Object.keys(REF_KINDS) as DocumentKind[];

export function inflateBody(body: unknown): string {
  return body instanceof Uint8Array ? inflateRawSync(body).toString("utf8") : "";
}

export function toDocument(row: SqlRow): IndexedDocument {
  return {
    id: Number(row.id),
    ref: String(row.ref) as Ref,
    sessionId: String(row.session_id) as SessionId,
    key: String(row.key),
    messageId: String(row.message_id),
    kind: parseKind(row.kind),
    words: String(row.words),
    madeAtMs: Number(row.made_at_ms),
    passages: Number(row.passages),
  };
}

function parseKind(kind: unknown): DocumentKind {
  return DOCUMENT_KINDS.find((one) => one === kind) ?? "output";
}

export const DOCUMENT_COLUMNS = `
  document.id, document.ref, document.key, document.message_id, document.kind, document.words,
  document.made_at_ms, document.passages, collection.key AS session_id`;

export const JOIN_COLLECTION = `JOIN collection ON collection.id = document.id / ${PASSAGES_PER_COLLECTION}`;

/**
 * Casts bounds to INTEGER: Bun binds a number beyond 2^31 as REAL, and FTS5 accepts only integers for a range
 * of rows.
 */
export const ROW_RANGE_CONDITION = "rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)";
