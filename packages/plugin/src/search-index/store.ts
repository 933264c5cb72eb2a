// The index's rows: collections, documents and their passages, in both word tables.
// Folder: The search index: documents of every kind in one file, and the vectors of what they mean.
import { deflateRawSync } from "node:zlib";
import { deriveRef, type Ref, type RefKind } from "../ledger/ref.ts";
import type { Driver, SqlRow } from "../storage/driver.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";
import {
  type CollectionScope,
  FIRST_PROJECT_COLLECTION_ID,
  PASSAGES_PER_COLLECTION,
  type PassageRange,
  SESSIONS_PER_PROJECT,
  toPassageRange,
  toProjectCollectionId,
} from "./collection.ts";
import { type DocumentKind, toSearchColumns } from "./columns.ts";
import {
  DOCUMENT_COLUMNS,
  type IndexedDocument,
  inflateBody,
  JOIN_COLLECTION,
  type NewDocument,
  type Passage,
  type PassagePlace,
  REF_KINDS,
  ROW_RANGE_CONDITION,
  toDocument,
} from "./document.ts";

/** A fast compression level, with two thirds of the gain of a higher one. */
const DEFLATE_LEVEL = 3;

export class IndexStore {
  constructor(readonly driver: Driver) {}

  /** Returns the digests of completely indexed documents, by key. */
  readDigests(sessionId: SessionId): ReadonlyMap<string, string> {
    const { first, last } = this.#findCollectionRange(sessionId);
    const rows = this.driver.all(SELECT_DIGESTS, first, last);
    return new Map(rows.map(({ key, digest }) => [String(key), String(digest)]));
  }

  /**
   * Creates the document's row in place of a previous one.
   * @returns the document's id; null if the collection is full
   */
  openDocument(scope: CollectionScope, { record, passages }: NewDocument): number | null {
    return this.driver.transaction(() => {
      const { key, messageId, kind, words, madeAtMs } = record;
      const collection = this.#ensureCollection(scope);
      this.#remove(scope.sessionId, REF_KINDS[kind], [key]);
      const row = this.driver.get("SELECT next_passage FROM collection WHERE id = ?", collection);
      const id = Number(row?.next_passage);
      const end = id + passages.length;
      if (end > (collection + 1) * PASSAGES_PER_COLLECTION) return null;
      this.driver.run("UPDATE collection SET next_passage = ? WHERE id = ?", end, collection);
      const ref = deriveRef(REF_KINDS[kind], key);
      this.driver.run(
        INSERT_DOCUMENT,
        ...[id, ref, key, messageId, "", kind, words, madeAtMs, passages.length],
      );
      return id;
    });
  }

  /** Indexes passages from `from` up to `to`; the last one completes the document. */
  write(id: number, { digest, passages, record }: NewDocument, from: number, to: number): void {
    this.driver.transaction(() => {
      for (const [offset, { line, text }] of passages.slice(from, to).entries()) {
        const at = from + offset;
        const body = deflateRawSync(text, { level: DEFLATE_LEVEL });
        this.driver.run(INSERT_PASSAGE, id + at, line, body);
        const { words, pieces } = toSearchColumns(record, at, text);
        this.driver.run("INSERT INTO words (rowid, body) VALUES (?, ?)", id + at, words);
        if (pieces === null) continue;
        this.driver.run("INSERT INTO pieces (rowid, body) VALUES (?, ?)", id + at, pieces);
      }
      if (to >= passages.length) {
        this.driver.run("UPDATE document SET digest = ? WHERE id = ?", digest, id);
      }
    });
  }

  /** Indexes a document at once. @returns false if the collection is full */
  put(scope: CollectionScope, document: NewDocument): boolean {
    return this.driver.transaction(() => {
      const id = this.openDocument(scope, document);
      if (id !== null) this.write(id, document, 0, document.passages.length);
      return id !== null;
    });
  }

  /** Removes documents. @param kind the kind of their refs */
  remove(sessionId: SessionId, kind: RefKind, keys: readonly string[]): void {
    this.driver.transaction(() => this.#remove(sessionId, kind, keys));
  }

  /** Returns all documents of a collection in the order in which they were indexed. */
  listDocuments(sessionId: SessionId): readonly IndexedDocument[] {
    const { first, last } = this.#findCollectionRange(sessionId);
    return this.driver.all(SELECT_IN_RANGE, first, last).map(toDocument);
  }

  /** Returns the ids of a session's indexed messages; null if nothing of the session is indexed. */
  listMessageIds(sessionId: SessionId): ReadonlySet<string> | null {
    const { first, last } = this.#findCollectionRange(sessionId);
    const rows = this.driver.all(SELECT_MESSAGE_IDS, first, last);
    return rows.length === 0 ? null : new Set(rows.map((row) => String(row.message_id)));
  }

  removeSession(sessionId: SessionId): void {
    this.driver.transaction(() => {
      // FTS5 keeps the words of deleted rows until it merges its segments.
      for (const sql of ENABLE_SECURE_DELETE) this.driver.run(sql);
      for (const one of this.listDocuments(sessionId)) this.#removeDocument(one);
      this.driver.erase("DELETE FROM collection WHERE key = ?", sessionId);
    });
  }

  /** Returns all indexed sessions. */
  listSessionIds(): readonly SessionId[] {
    const rows = this.driver.all(SELECT_SESSIONS, FIRST_PROJECT_COLLECTION_ID);
    return rows.map(({ key }) => String(key) as SessionId);
  }

  /** Returns the value last given to `setHead`, up to which everything is indexed; null if it is unknown. */
  readHead(sessionId: SessionId): string | null {
    const row = this.driver.get("SELECT head FROM collection WHERE key = ?", sessionId);
    return typeof row?.head === "string" ? row.head : null;
  }

  setHead(scope: CollectionScope, head: string | null): void {
    this.driver.transaction(() => {
      this.driver.run(
        "UPDATE collection SET head = ? WHERE id = ?",
        head,
        this.#ensureCollection(scope),
      );
    });
  }

  /** Returns the passages of a session, or of its project's sessions; empty if nothing is indexed. */
  findRange({ sessionId, project }: CollectionScope, within: "session" | "project"): PassageRange {
    if (within === "session") return this.#findCollectionRange(sessionId);
    const row = this.driver.get("SELECT id FROM project WHERE key = ?", project);
    return toPassageRange(row?.id, PASSAGES_PER_COLLECTION * SESSIONS_PER_PROJECT);
  }

  /** Returns all documents with that ref in the range, newest first: two ids may share one ref. */
  findByRef(ref: Ref, { first, last }: PassageRange): readonly IndexedDocument[] {
    return this.driver.all(SELECT_BY_REF, ref, first, last).map(toDocument);
  }

  /** Returns a document; null if it is missing or not completely indexed. */
  findDocument(sessionId: SessionId, kind: RefKind, key: string): IndexedDocument | null {
    const found = this.#find(sessionId, kind, key);
    return found && String(found.digest) !== "" ? toDocument(found) : null;
  }

  /**
   * Returns documents of one passage each that match the word table's expression, best first, then newest.
   */
  findMatching(expression: string, range: PassageRange, count: number): readonly IndexedDocument[] {
    const { first, last } = range;
    return this.driver.all(SELECT_MATCHING, expression, first, last, count).map(toDocument);
  }

  /** Returns a document's passages from `from` on. */
  readPassages(of: IndexedDocument, from: number, count: number): readonly Passage[] {
    const first = of.id + from;
    const last = Math.min(first + count, of.id + of.passages) - 1;
    return this.driver
      .all("SELECT line, body FROM passage WHERE id BETWEEN ? AND ? ORDER BY id", first, last)
      .map(({ line, body }) => ({ line: Number(line), text: inflateBody(body) }));
  }

  /** Returns the passage ids of documents of these kinds, the newest documents first. */
  findNewest(kinds: readonly DocumentKind[], { first, last }: PassageRange, count: number) {
    const rows = this.driver.all(SELECT_NEWEST, first, last, JSON.stringify(kinds), count);
    return rows
      .flatMap(({ id, passages }) =>
        Array.from({ length: Number(passages) }, (_, at) => Number(id) + at),
      )
      .slice(0, count);
  }

  /** Returns a passage's place; null if there is no such passage. */
  findPlace(passage: number): PassagePlace | null {
    const row = this.driver.get(SELECT_BY_PASSAGE, passage);
    const part = row && toDocument(row);
    if (!part || passage >= part.id + part.passages) return null;
    return { part, at: passage - part.id };
  }

  /** Counts the documents and the passages in the range. */
  count({ first, last }: PassageRange): { readonly parts: number; readonly passages: number } {
    const row = this.driver.get(COUNT_DOCUMENTS, first, last);
    return { parts: Number(row?.parts), passages: Number(row?.passages ?? 0) };
  }

  #findCollectionRange(sessionId: SessionId): PassageRange {
    const row = this.driver.get("SELECT id FROM collection WHERE key = ?", sessionId);
    return toPassageRange(row?.id, PASSAGES_PER_COLLECTION);
  }

  #ensureCollection({ sessionId, project }: CollectionScope): number {
    const known = this.driver.get("SELECT id FROM collection WHERE key = ?", sessionId);
    if (known) return Number(known.id);
    const of = this.ensureProjectId(project);
    const id =
      toProjectCollectionId({ sessionId, project }, of) ??
      this.#findNextSessionId(of * SESSIONS_PER_PROJECT);
    this.driver.run(INSERT_COLLECTION, id, sessionId, id * PASSAGES_PER_COLLECTION);
    return id;
  }

  #findNextSessionId(first: number): number {
    const newest = this.driver.get(SELECT_NEWEST_SESSION, first, first + SESSIONS_PER_PROJECT - 1);
    return Number(newest?.id ?? first) + 1;
  }

  /** Returns the project's number, and assigns one if needed. */
  ensureProjectId(key: ProjectId): number {
    this.driver.run("INSERT INTO project (key) VALUES (?) ON CONFLICT (key) DO NOTHING", key);
    return Number(this.driver.get("SELECT id FROM project WHERE key = ?", key)?.id);
  }

  #find(sessionId: SessionId, kind: RefKind, key: string): SqlRow | null {
    return this.driver.get(SELECT_BY_KEY, deriveRef(kind, key), sessionId, key);
  }

  #remove(sessionId: SessionId, kind: RefKind, keys: readonly string[]): void {
    for (const key of keys) {
      const row = this.#find(sessionId, kind, key);
      if (row) this.#removeDocument(toDocument(row));
    }
  }

  /** Removes a document. A contentless table must be given exactly the words that it was given before. */
  #removeDocument(document: IndexedDocument): void {
    const { id: first, passages: count } = document;
    for (const [at, { text }] of this.readPassages(document, 0, count).entries()) {
      const { words, pieces } = toSearchColumns(document, at, text);
      this.driver.run(DELETE_WORDS, first + at, words);
      if (pieces !== null) this.driver.run(DELETE_PIECES, first + at, pieces);
    }
    this.driver.run("DELETE FROM passage WHERE id BETWEEN ? AND ?", first, first + count - 1);
    this.driver.run("DELETE FROM document WHERE id = ?", first);
  }
}

const ENABLE_SECURE_DELETE = ["words", "pieces"].map(
  (name) => `INSERT INTO ${name} (${name}, rank) VALUES ('secure-delete', 1)`,
);

const SELECT_DOCUMENTS = `SELECT ${DOCUMENT_COLUMNS}, digest FROM document ${JOIN_COLLECTION}`;

const SELECT_BY_KEY = `${SELECT_DOCUMENTS} WHERE ref = ? AND collection.key = ? AND document.key = ?`;

const SELECT_IN_RANGE = `${SELECT_DOCUMENTS} WHERE document.id BETWEEN ? AND ? ORDER BY document.id`;

const SELECT_MESSAGE_IDS = "SELECT message_id FROM document WHERE id BETWEEN ? AND ?";

const SELECT_BY_REF = `
  ${SELECT_DOCUMENTS} WHERE ref = ? AND document.id BETWEEN ? AND ? AND digest <> ''
  ORDER BY made_at_ms DESC, document.id DESC`;

const SELECT_MATCHING = `
  WITH found AS MATERIALIZED (SELECT rowid AS id, rank FROM words WHERE words MATCH ? AND ${ROW_RANGE_CONDITION})
  SELECT ${DOCUMENT_COLUMNS} FROM found JOIN document ON document.id = found.id ${JOIN_COLLECTION}
  ORDER BY found.rank, made_at_ms DESC LIMIT ?`;

const SELECT_DIGESTS = "SELECT key, digest FROM document WHERE id BETWEEN ? AND ? AND digest <> ''";

const SELECT_NEWEST = `
  SELECT id, passages FROM document
  WHERE id BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) AND digest <> ''
  ORDER BY made_at_ms DESC, id DESC LIMIT ?`;

const SELECT_BY_PASSAGE = `
  ${SELECT_DOCUMENTS} WHERE document.id = (SELECT max(id) FROM document WHERE id <= ?)`;

const SELECT_SESSIONS = "SELECT key FROM collection WHERE id < ? ORDER BY id";

const SELECT_NEWEST_SESSION = "SELECT max(id) AS id FROM collection WHERE id BETWEEN ? AND ?";

const INSERT_COLLECTION = "INSERT INTO collection (id, key, next_passage) VALUES (?, ?, ?)";

const INSERT_DOCUMENT = `
  INSERT INTO document (id, ref, key, message_id, digest, kind, words, made_at_ms, passages)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_PASSAGE = "INSERT INTO passage (id, line, body) VALUES (?, ?, ?)";

const DELETE_WORDS = "INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)";

const DELETE_PIECES = "INSERT INTO pieces (pieces, rowid, body) VALUES ('delete', ?, ?)";

const COUNT_DOCUMENTS =
  "SELECT count(*) AS parts, sum(passages) AS passages FROM document WHERE id BETWEEN ? AND ?";
