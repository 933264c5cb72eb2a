// The index's rows: sessions, parts and their passages, in both tables of words.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type Ref, refOf } from "../../projection/ref.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Passage } from "./passage.ts";
import type { PartRecord, RecordKind } from "./record.ts";
import { asPieces, asWords } from "./words.ts";

/** A session, and the project whose sessions are searched with it. */
export interface Scope {
  readonly sessionId: SessionId;
  /** The same for all of its sessions. */
  readonly project: string;
}

/** A part that is about to be indexed; it counts as indexed only when its last passage is. */
export interface NewPart {
  readonly record: Omit<PartRecord, "text">;
  readonly digest: string;
  readonly passages: readonly Passage[];
}

export interface IndexedPart {
  /** The id of its first passage. */
  readonly id: number;
  readonly ref: Ref;
  readonly sessionId: SessionId;
  readonly partId: string;
  readonly messageId: string;
  readonly kind: RecordKind;
  readonly words: string;
  readonly madeAtMs: number;
  readonly passages: number;
}

/** A passage, as the part that it is of and which of its passages it is, from 0. */
export interface PassagePlace {
  readonly part: IndexedPart;
  readonly at: number;
}

/** Passages have ids by session and project, so that each of these is one range of the index. */
export const PASSAGES_PER_SESSION = 2 ** 20;
const SESSIONS_PER_PROJECT = 2 ** 16;

export interface PassageRange {
  readonly first: number;
  readonly last: number;
}

/** Fast, and two thirds of what more effort would gain. */
const DEFLATE_LEVEL = 3;

export class IndexStore {
  constructor(readonly driver: Driver) {}

  /** Of what is indexed to its end, by part id. */
  digests(sessionId: SessionId): ReadonlyMap<string, string> {
    const range = this.#rangeOf(sessionId);
    const rows = range ? this.driver.all(SELECT_DIGESTS, range.first, range.last) : [];
    return new Map(rows.map(({ host_id, digest }) => [String(host_id), String(digest)]));
  }

  /**
   * Makes the part's row, in place of one that it had.
   * @returns its id; null: the session has no room for its passages.
   */
  open(scope: Scope, { record, passages }: NewPart): number | null {
    return this.driver.transaction(() => {
      const session = this.#session(scope);
      this.#removeParts(scope.sessionId, [record.partId]);
      const row = this.driver.get("SELECT next_passage FROM session WHERE id = ?", session);
      const id = Number(row?.next_passage);
      const end = id + passages.length;
      if (end > (session + 1) * PASSAGES_PER_SESSION) return null;
      this.driver.run("UPDATE session SET next_passage = ? WHERE id = ?", end, session);
      const { partId, messageId, kind, words, madeAtMs } = record;
      this.driver.run(
        INSERT_PART,
        ...[id, refOf("r", partId), partId, messageId, "", kind, words, madeAtMs, passages.length],
      );
      return id;
    });
  }

  /** Some of its passages, from the `from`th on; with the last of them the part is indexed. */
  fill(part: number, { digest, passages, record }: NewPart, from: number, to: number): void {
    this.driver.transaction(() => {
      for (const [offset, { line, text }] of passages.slice(from, to).entries()) {
        const id = part + from + offset;
        const body = deflateRawSync(text, { level: DEFLATE_LEVEL });
        this.driver.run(INSERT_PASSAGE, id, line, body);
        const [words, pieces] = columnsOf(record.words, from + offset, text);
        this.driver.run("INSERT INTO words (rowid, body) VALUES (?, ?)", id, words);
        this.driver.run("INSERT INTO pieces (rowid, body) VALUES (?, ?)", id, pieces);
      }
      if (to >= passages.length) {
        this.driver.run("UPDATE part SET digest = ? WHERE id = ?", digest, part);
      }
    });
  }

  /** What was undone leaves the index. */
  removeParts(sessionId: SessionId, partIds: readonly string[]): void {
    this.driver.transaction(() => this.#removeParts(sessionId, partIds));
  }

  /** All parts of a session, in the order in which they were indexed. */
  parts(sessionId: SessionId): readonly IndexedPart[] {
    const range = this.#rangeOf(sessionId);
    return range ? this.driver.all(SELECT_IN_RANGE, range.first, range.last).map(partOf) : [];
  }

  /** Of all that is indexed of a session; null: nothing is. */
  messageIds(sessionId: SessionId): ReadonlySet<string> | null {
    const parts = this.parts(sessionId);
    return parts.length === 0 ? null : new Set(parts.map(({ messageId }) => messageId));
  }

  removeSession(sessionId: SessionId): void {
    this.driver.transaction(() => {
      // By itself FTS5 keeps the words of what is deleted, until it merges its segments.
      for (const sql of ERASE_WORDS) this.driver.run(sql);
      for (const part of this.parts(sessionId)) this.#removePart(part);
      this.driver.erase("DELETE FROM session WHERE host_id = ?", sessionId);
    });
  }

  /** All that are indexed. */
  sessionIds(): readonly SessionId[] {
    const rows = this.driver.all("SELECT host_id FROM session ORDER BY id");
    return rows.map(({ host_id }) => String(host_id) as SessionId);
  }

  /** Where a session's passages are, or a project's; null where nothing of it is indexed. */
  range({ sessionId, project }: Scope, within: "session" | "project"): PassageRange | null {
    if (within === "session") return this.#rangeOf(sessionId);
    const row = this.driver.get("SELECT id FROM project WHERE key = ?", project);
    return row && rangeFrom(Number(row.id), PASSAGES_PER_SESSION * SESSIONS_PER_PROJECT);
  }

  /** All parts of that ref in the range: two ids may share one. */
  partsOf(ref: Ref, { first, last }: PassageRange): readonly IndexedPart[] {
    return this.driver.all(SELECT_BY_REF, ref, first, last).map(partOf);
  }

  /** Of a part, its passages from the `from`th on. */
  passages(part: IndexedPart, from: number, count: number): readonly Passage[] {
    const first = part.id + from;
    const last = Math.min(first + count, part.id + part.passages) - 1;
    return this.driver
      .all("SELECT line, body FROM passage WHERE id BETWEEN ? AND ? ORDER BY id", first, last)
      .map(({ line, body }) => ({ line: Number(line), text: inflated(body) }));
  }

  /** Passages of people's and the model's own words, newest first, each by its id and what it says. */
  said(
    { first, last }: PassageRange,
    count: number,
  ): readonly { readonly key: string; readonly digest: string }[] {
    const rows = this.driver.all(SELECT_SAID, first, last, count);
    const all = rows.flatMap(({ id, digest, passages }) =>
      Array.from({ length: Number(passages) }, (_, at) => ({
        key: `${Number(id) + at}`,
        digest: `${digest} ${at}`,
      })),
    );
    return all.slice(0, count);
  }

  /** Null where there is no such passage. */
  placeOf(passage: number): PassagePlace | null {
    const row = this.driver.get(SELECT_PART_AT, passage);
    const part = row && partOf(row);
    if (!part || passage >= part.id + part.passages) return null;
    return { part, at: passage - part.id };
  }

  /** How much the range holds. */
  extent({ first, last }: PassageRange): { readonly parts: number; readonly passages: number } {
    const row = this.driver.get(COUNT_PARTS, first, last);
    return { parts: Number(row?.parts), passages: Number(row?.passages ?? 0) };
  }

  #rangeOf(sessionId: SessionId): PassageRange | null {
    const row = this.driver.get("SELECT id FROM session WHERE host_id = ?", sessionId);
    return row && rangeFrom(Number(row.id), PASSAGES_PER_SESSION);
  }

  #session({ sessionId, project }: Scope): number {
    const known = this.driver.get("SELECT id FROM session WHERE host_id = ?", sessionId);
    if (known) return Number(known.id);
    this.driver.run("INSERT INTO project (key) VALUES (?) ON CONFLICT (key) DO NOTHING", project);
    const { id: projectId } =
      this.driver.get("SELECT id FROM project WHERE key = ?", project) ?? {};
    const first = Number(projectId) * SESSIONS_PER_PROJECT;
    const newest = this.driver.get(SELECT_NEWEST_SESSION, first, first + SESSIONS_PER_PROJECT - 1);
    const id = Number(newest?.id ?? first) + 1;
    const start = id * PASSAGES_PER_SESSION;
    this.driver.run("INSERT INTO session VALUES (?, ?, ?)", id, sessionId, start);
    return id;
  }

  #removeParts(sessionId: SessionId, partIds: readonly string[]): void {
    for (const partId of partIds) {
      const row = this.driver.get(SELECT_PART, refOf("r", partId), sessionId, partId);
      if (row) this.#removePart(partOf(row));
    }
  }

  /** A table without content has to hear exactly what it was given. */
  #removePart(part: IndexedPart): void {
    const { id: first, words: call } = part;
    for (const [at, { text }] of this.passages(part, 0, part.passages).entries()) {
      const [words, pieces] = columnsOf(call, at, text);
      const id = first + at;
      this.driver.run("INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)", id, words);
      this.driver.run(
        "INSERT INTO pieces (pieces, rowid, body) VALUES ('delete', ?, ?)",
        id,
        pieces,
      );
    }
    const last = first + part.passages - 1;
    this.driver.run("DELETE FROM passage WHERE id BETWEEN ? AND ?", first, last);
    this.driver.run("DELETE FROM part WHERE id = ?", first);
  }
}

const ERASE_WORDS = ["words", "pieces"].map(
  (name) => `INSERT INTO ${name} (${name}, rank) VALUES ('secure-delete', 1)`,
);

/** A record's first passage is found by the call's own words, too. */
function columnsOf(call: string, at: number, text: string): readonly [string, string] {
  const whole = at === 0 ? `${call}\n${text}` : text;
  return [asWords(whole), asPieces(whole)];
}

function rangeFrom(id: number, width: number): PassageRange {
  return { first: id * width, last: (id + 1) * width - 1 };
}

export function inflated(body: unknown): string {
  return body instanceof Uint8Array ? inflateRawSync(body).toString("utf8") : "";
}

export function partOf(row: SqlRow): IndexedPart {
  return {
    id: Number(row.id),
    ref: String(row.ref) as Ref,
    sessionId: String(row.session_id) as SessionId,
    partId: String(row.host_id),
    messageId: String(row.message_id),
    kind: row.kind === "user" || row.kind === "assistant" ? row.kind : "output",
    words: String(row.words),
    madeAtMs: Number(row.made_at_ms),
    passages: Number(row.passages),
  };
}

export const PART_COLUMNS = `
  part.id, part.ref, part.host_id, part.message_id, part.kind, part.words, part.made_at_ms,
  part.passages, session.host_id AS session_id`;

export const SESSION_OF_PART = `JOIN session ON session.id = part.id / ${PASSAGES_PER_SESSION}`;

const FROM_PARTS = `SELECT ${PART_COLUMNS} FROM part ${SESSION_OF_PART}`;

const SELECT_PART = `${FROM_PARTS} WHERE ref = ? AND session.host_id = ? AND part.host_id = ?`;

const SELECT_IN_RANGE = `${FROM_PARTS} WHERE part.id BETWEEN ? AND ? ORDER BY part.id`;

const SELECT_BY_REF = `
  ${FROM_PARTS} WHERE ref = ? AND part.id BETWEEN ? AND ? AND digest <> ''
  ORDER BY made_at_ms DESC, part.id DESC`;

const SELECT_DIGESTS = "SELECT host_id, digest FROM part WHERE id BETWEEN ? AND ? AND digest <> ''";

const SELECT_SAID = `
  SELECT id, digest, passages FROM part
  WHERE id BETWEEN ? AND ? AND kind IN ('user', 'assistant') AND digest <> ''
  ORDER BY made_at_ms DESC, id DESC LIMIT ?`;

const SELECT_PART_AT = `${FROM_PARTS} WHERE part.id = (SELECT max(id) FROM part WHERE id <= ?)`;

const SELECT_NEWEST_SESSION = "SELECT max(id) AS id FROM session WHERE id BETWEEN ? AND ?";

const INSERT_PART = `
  INSERT INTO part (id, ref, host_id, message_id, digest, kind, words, made_at_ms, passages)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_PASSAGE = "INSERT INTO passage (id, line, body) VALUES (?, ?, ?)";

const COUNT_PARTS =
  "SELECT count(*) AS parts, sum(passages) AS passages FROM part WHERE id BETWEEN ? AND ?";
