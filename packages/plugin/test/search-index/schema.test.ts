import { expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { parseTerms } from "../../src/features/search/query-words.ts";
import { search } from "../../src/features/search/search.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { toProjectScope } from "../../src/search-index/collection.ts";
import { prepareTables } from "../../src/search-index/schema.ts";
import { IndexStore } from "../../src/search-index/store.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";

/** The tables of version 1, which held histories alone. */
const FIRST = `
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
  PRAGMA user_version = 1;`;

const SES = "ses_1" as SessionId;
const scope = { sessionId: SES, project: "shop" as ProjectId };

function first() {
  const driver = openBunDriver(":memory:");
  driver.exec(FIRST);
  const [session, id] = [2 ** 16 + 1, (2 ** 16 + 1) * 2 ** 20];
  driver.run("INSERT INTO project VALUES (1, 'shop')");
  driver.run("INSERT INTO session VALUES (?, ?, ?)", session, SES, id + 1);
  driver.run(
    "INSERT INTO part VALUES (?, ?, 'prt_1', 'msg_1', 'd', 'user', 'user', 7, 1)",
    ...[id, deriveRef("r", "prt_1")],
  );
  driver.run("INSERT INTO passage VALUES (?, 1, ?)", id, deflateRawSync("a heron"));
  for (const table of ["words", "pieces"]) {
    driver.run(`INSERT INTO ${table} (rowid, body) VALUES (?, ?)`, id, "user\na heron");
  }
  return driver;
}

test("an index of the first version keeps its histories, which are found and taken out as before", () => {
  const driver = first();
  expect(prepareTables(driver)).toBe(true);
  const store = new IndexStore(driver);
  const range = store.findRange(scope, "project");
  if (!range) throw new Error("the project is there");
  const found = () => search(driver, range, parseTerms("heron"), () => false).hits;
  expect(found().map(({ part, passage }) => [part.key, passage.text])).toEqual([
    ["prt_1", "a heron"],
  ]);
  const commit = {
    key: "abc",
    messageId: "",
    kind: "commit",
    words: "commit",
    madeAtMs: 1,
  } as const;
  const passages = [{ line: 1, text: "heron" }];
  expect(
    store.put(toProjectScope(scope.project, "commit"), { record: commit, digest: "abc", passages }),
  ).toBe(true);
  expect(found()).toHaveLength(1);
  store.removeSession(SES);
  expect(found()).toEqual([]);
  expect(prepareTables(driver)).toBe(true);
});

test("an index of a later version, and a file with other tables, is no index of ours", () => {
  const later = first();
  later.exec("PRAGMA user_version = 4");
  expect(prepareTables(later)).toBe(false);
  const other = openBunDriver(":memory:");
  other.exec("CREATE TABLE bird (name TEXT)");
  expect(prepareTables(other)).toBe(false);
  expect(other.all("SELECT name FROM sqlite_schema")).toEqual([{ name: "bird" }]);
});
