// The index's tables: what is derived from the host's history, and can be made again at any time.
import { runtimeDriver } from "../../storage/open-driver.ts";
import { IndexFile, makeTables } from "./index-file.ts";
import { indexPath } from "./index-place.ts";

/** An index of another version is made again. */
const VERSION = 1;

/**
 * A part's id is that of its first passage; both are numbered through within a session. Both tables of FTS5 are without content: a passage's text stands once, deflated, and what is taken out
 * of them is given back to them word by word. Trigrams have no positions, which would cost more than the
 * text; what they find is looked at.
 */
const TABLES = `
  CREATE TABLE project (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    host_id TEXT NOT NULL UNIQUE,
    next_passage INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE part (
    id INTEGER PRIMARY KEY,
    ref TEXT NOT NULL,
    host_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    words TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    passages INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX part_by_ref ON part (ref);
  CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (
    body, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE pieces USING fts5 (
    body, content = '', tokenize = 'trigram', detail = none, columnsize = 0);
  PRAGMA user_version = ${VERSION};`;

export const prepareTables = makeTables(VERSION, TABLES);

/** The index beside a database; the file is opened, or made, at its first use. */
export async function recallIndex(
  databasePath: string,
  begunAgain: () => void,
): Promise<IndexFile> {
  const [path, openDriver] = [indexPath(databasePath), await runtimeDriver()];
  return new IndexFile({ path, openDriver, prepare: prepareTables, begunAgain });
}
