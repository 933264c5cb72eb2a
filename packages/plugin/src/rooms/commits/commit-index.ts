// The index of commits: rows and words, by repository.

import type { Term } from "../../features/finders.ts";
import { type Ref, refOf } from "../../projection/ref.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import { makeTables } from "../recall/index-file.ts";
import { pathBeside } from "../recall/index-place.ts";
import { asWords } from "../recall/words.ts";
import type { Commit } from "./git-log.ts";

/** An index of another version is made again. */
const VERSION = 1;

const TABLES = `
  CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    -- All commits of this one are indexed; NULL while they are not.
    head TEXT
  ) STRICT;
  CREATE TABLE git_commit (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL,
    hash TEXT NOT NULL,
    ref TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    author TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    files TEXT NOT NULL,
    UNIQUE (repository, hash)
  ) STRICT;
  CREATE INDEX commit_by_ref ON git_commit (ref);
  CREATE VIRTUAL TABLE commit_words USING fts5 (
    subject, body, files, author, content = '',
    tokenize = 'porter unicode61 remove_diacritics 2');
  PRAGMA user_version = ${VERSION};`;

export const prepareCommitTables = makeTables(VERSION, TABLES);

export function commitsPath(databasePath: string): string {
  return pathBeside(databasePath, "commits");
}

export interface IndexedCommit extends Commit {
  readonly ref: Ref;
}

const MOST_FOUND = 5;
/** So many words may do with one less. */
const FEWEST_LOOSE = 3;

export class CommitIndex {
  constructor(private readonly driver: Driver) {}

  /** The commit up to which all are indexed; null: none yet, or not all. */
  head(key: string): string | null {
    const row = this.driver.get("SELECT head FROM repository WHERE key = ?", key);
    return typeof row?.head === "string" ? row.head : null;
  }

  setHead(key: string, head: string | null): void {
    this.driver.run(
      `INSERT INTO repository (key, head) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET head = excluded.head`,
      ...[key, head],
    );
  }

  hashes(key: string): readonly string[] {
    const sql = `SELECT hash FROM git_commit WHERE repository = ${REPOSITORY}`;
    return this.driver.all(sql, key).map(({ hash }) => String(hash));
  }

  /** One that is there is left as it is. */
  add(key: string, commits: readonly Commit[]): void {
    this.driver.transaction(() => {
      for (const commit of commits) this.#add(key, commit);
    });
  }

  remove(key: string, hashes: readonly string[]): void {
    this.driver.transaction(() => {
      for (const hash of hashes) {
        const row = this.driver.get(SELECT_BY_HASH, key, hash);
        if (!row) continue;
        this.driver.run(DELETE_WORDS, Number(row.id), ...wordsOf(commitOf(row)));
        this.driver.run("DELETE FROM git_commit WHERE id = ?", Number(row.id));
      }
    });
  }

  /** Those that hold all terms, and where there are none, those that hold all but one; best first. */
  search(key: string, terms: readonly Term[]): readonly IndexedCommit[] {
    const phrases = terms.map(({ phrase }) => phrase);
    const all = this.#matching(key, phrases.join(" AND "));
    if (all.length > 0 || terms.length < FEWEST_LOOSE) return all;
    // Of three words or more, all but one: what holds fewer answers another question.
    const most = phrases.map(
      (_, at) => `(${phrases.filter((__, other) => other !== at).join(" AND ")})`,
    );
    return this.#matching(key, most.join(" OR "));
  }

  byRef(key: string, ref: Ref): IndexedCommit | null {
    const row = this.driver.get(SELECT_BY_REF, key, ref);
    return row && commitOf(row);
  }

  byHash(key: string, hash: string): IndexedCommit | null {
    const row = this.driver.get(SELECT_BY_HASH, key, hash);
    return row && commitOf(row);
  }

  /** Hashes of the newest. */
  newest(key: string, count: number): readonly string[] {
    return this.driver.all(SELECT_NEWEST, key, count).map(({ hash }) => String(hash));
  }

  #matching(key: string, query: string): readonly IndexedCommit[] {
    return this.driver.all(SELECT_FOUND, query, key, MOST_FOUND).map(commitOf);
  }

  #add(key: string, commit: Commit): void {
    const { hash, madeAtMs, author, subject, body, files } = commit;
    const row = this.driver.get(
      INSERT,
      ...[key, hash, refOf("c", hash), madeAtMs, author, subject, body, files.join("\n")],
    );
    if (row) this.driver.run(INSERT_WORDS, Number(row.id), ...wordsOf(commit));
  }
}

function wordsOf({
  subject,
  body,
  files,
  author,
}: Commit): readonly [string, string, string, string] {
  return [asWords(subject), asWords(body), asWords(files.join("\n")), asWords(author)];
}

function commitOf(row: SqlRow): IndexedCommit {
  const files = String(row.files);
  return {
    hash: String(row.hash),
    ref: String(row.ref) as Ref,
    author: String(row.author),
    subject: String(row.subject),
    body: String(row.body),
    madeAtMs: Number(row.made_at_ms),
    files: files === "" ? [] : files.split("\n"),
  };
}

const REPOSITORY = "(SELECT id FROM repository WHERE key = ?)";

const COLUMNS = `git_commit.id, hash, ref, made_at_ms, git_commit.author, git_commit.subject,
  git_commit.body, git_commit.files`;

const INSERT = `
  INSERT INTO git_commit (repository, hash, ref, made_at_ms, author, subject, body, files)
  VALUES (${REPOSITORY}, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;

const INSERT_WORDS =
  "INSERT INTO commit_words (rowid, subject, body, files, author) VALUES (?, ?, ?, ?, ?)";

const DELETE_WORDS = `
  INSERT INTO commit_words (commit_words, rowid, subject, body, files, author)
  VALUES ('delete', ?, ?, ?, ?, ?)`;

const SELECT_BY_HASH = `
  SELECT ${COLUMNS} FROM git_commit WHERE repository = ${REPOSITORY} AND hash = ?`;

const SELECT_NEWEST = `
  SELECT hash FROM git_commit WHERE repository = ${REPOSITORY} ORDER BY made_at_ms DESC LIMIT ?`;

const SELECT_BY_REF = `
  SELECT ${COLUMNS} FROM git_commit WHERE repository = ${REPOSITORY} AND ref = ?`;

/** A subject says more than a body or a path. */
const SELECT_FOUND = `
  SELECT ${COLUMNS} FROM commit_words JOIN git_commit ON git_commit.id = commit_words.rowid
  WHERE commit_words MATCH ? AND repository = ${REPOSITORY}
  ORDER BY bm25(commit_words, 4, 1, 2, 1), made_at_ms DESC LIMIT ?`;
