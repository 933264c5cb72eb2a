// The index's tables, which hold derived data that can be rebuilt at any time.
import type { Driver } from "../storage/driver.ts";

/** Identifies the schema. Indexes of other versions are rebuilt. */
const SCHEMA_VERSION = 4;

/**
 * Creates the tables. A collection has the documents of one session, or those of one kind that a project has
 * outside its sessions. A document's id is that of its first passage; both are numbered within a collection.
 * Both FTS5 tables are contentless: a passage's text is stored once, deflated, and deletions give FTS5 the
 * same words again. Trigrams have no positions, which would cost more than the text, so their hits are
 * verified. For search by meaning a passage may have a vector, which is deleted with its document.
 */
const CREATE_TABLES = `
  CREATE TABLE project (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE collection (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    next_passage INTEGER NOT NULL,
    -- Up to where all is indexed, in the words of whoever fills it; NULL where that is not known.
    head TEXT
  ) STRICT;
  CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    ref TEXT NOT NULL,
    key TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    words TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    passages INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX document_by_ref ON document (ref);
  CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (
    body, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE pieces USING fts5 (
    body, content = '', tokenize = 'trigram', detail = none, columnsize = 0);
  CREATE TABLE meaning (
    project INTEGER PRIMARY KEY,
    -- The folder that it was last at work in, for status.
    directory TEXT NOT NULL,
    -- Vectors of two models can't be compared.
    model TEXT NOT NULL,
    -- Learnt from the first answer.
    dimensions INTEGER,
    -- One more wherever a vector has gone.
    removals INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE vector (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL,
    passage INTEGER NOT NULL UNIQUE,
    -- NULL: the endpoint has refused the text.
    body BLOB
  ) STRICT;
  CREATE INDEX vector_by_project ON vector (project, id);
  CREATE TRIGGER vector_with_document AFTER DELETE ON document BEGIN
    DELETE FROM vector WHERE passage BETWEEN old.id AND old.id + old.passages - 1;
  END;
  CREATE TRIGGER vector_removed AFTER DELETE ON vector BEGIN
    UPDATE meaning SET removals = removals + 1 WHERE project = old.project;
  END;
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/** Creates the tables of an empty file. @returns false if the file's tables are of another version */
export function prepareTables(driver: Driver): boolean {
  const readVersion = () => Number(driver.get("PRAGMA user_version")?.user_version);
  if (readVersion() === SCHEMA_VERSION) return true;
  return driver.transaction(() => {
    const isEmpty = driver.get("SELECT 1 AS found FROM sqlite_schema LIMIT 1") === null;
    if (isEmpty) driver.exec(CREATE_TABLES);
    return readVersion() === SCHEMA_VERSION;
  });
}
