import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notice } from "../../src/log/notices.ts";
import { IndexFile } from "../../src/search-index/file.ts";
import { prepareTables } from "../../src/search-index/schema.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { folder } from "../features/search/stage.ts";

function indexAt(path: string) {
  const begun: string[] = [];
  const notice = ({ code }: Notice) => void begun.push(code);
  return {
    begun,
    file: new IndexFile({ path, openDriver: openBunDriver, notice, over: () => undefined }),
  };
}

const place = () => join(folder(), "runtime.recall.db");
const WORDS = "SELECT count(*) AS found FROM words WHERE words MATCH 'heron'";
const look = (file: IndexFile) => file.use(({ driver }) => driver.get(WORDS)?.found);

test("tables that another process makes in the meantime are taken as they are", () => {
  const path = place();
  const [ours, theirs] = [openBunDriver(path), openBunDriver(path)];
  const late: Driver = {
    ...ours,
    get: (sql, ...values) => ours.get(sql, ...values),
    exec: (sql) => ours.exec(sql),
    transaction(work) {
      prepareTables(theirs);
      return ours.transaction(work);
    },
  };
  expect(prepareTables(late)).toBe(true);
  for (const driver of [ours, theirs]) driver.close();
});

test("an index that others could read is for its user alone once it is opened", () => {
  const path = place();
  const first = indexAt(path).file;
  look(first);
  first.close();
  chmodSync(path, 0o644);
  const { file } = indexAt(path);
  look(file);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  file.close();
});

test("K5: a test never opens an index outside of the temporary folder", () => {
  // The clone itself may lie in the temporary folder.
  const path = "/session-runtime-tests/never.recall.db";
  expect(() => look(indexAt(path).file)).toThrow("this is a test");
  expect(existsSync(path)).toBe(false);
});

test("what a damaged index has left in its log goes with it", () => {
  const path = place();
  const rubbish = "rubbish ".repeat(50_000);
  for (const suffix of ["", "-wal"]) writeFileSync(path + suffix, rubbish);
  const { file, begun } = indexAt(path);
  expect(look(file)).toBe(0);
  expect(begun).toEqual(["recall_index_begun_again"]);
  for (const suffix of ["", "-wal"]) {
    expect(readFileSync(path + suffix, "latin1")).not.toContain("rubbish");
  }
  file.close();
});

test("an index of another version is built anew, and the user is told", () => {
  const path = place();
  const other = openBunDriver(path);
  prepareTables(other);
  other.run("INSERT INTO words (rowid, body) VALUES (1, 'a heron')");
  other.exec("PRAGMA user_version = 3");
  other.close();
  const { file, begun } = indexAt(path);
  expect(look(file)).toBe(0);
  expect(begun).toEqual(["recall_index_begun_again"]);
  expect(look(file)).toBe(0);
  expect(begun).toHaveLength(1);
  file.close();
});

test("nobody waits until another process has written: the write is refused before", () => {
  const path = place();
  const { file } = indexAt(path);
  look(file);
  const other = openBunDriver(path);
  other.exec("BEGIN IMMEDIATE");
  const write = () => file.use(({ driver }) => driver.run("DELETE FROM document"));
  expect(write).toThrow(StorageError);
  other.close();
  file.close();
});

test.each([["no such table: words"], ["vtable constructor failed: words"]])(
  "R3: an index with a part missing (%s) is emptied, and the work is done once more",
  (said) => {
    const { file, begun } = indexAt(place());
    look(file);
    const broken = new StorageError("failed", "It was refused.", { cause: new Error(said) });
    let calls = 0;
    const work = () => {
      calls += 1;
      if (calls === 1) throw broken;
      return calls;
    };
    expect(file.use(work)).toBe(2);
    expect(begun).toHaveLength(1);
    // Once: what is still broken then is reported.
    const refuse = () => {
      throw broken;
    };
    expect(() => file.use(refuse)).toThrow("It was refused.");
    file.close();
  },
);

test("another failure of the work is its own: the index stays", () => {
  const { file, begun } = indexAt(place());
  expect(() => file.use(({ driver }) => driver.get("SELECT nothing FROM document"))).toThrow(
    "refused",
  );
  expect(() => file.use(() => Math.max(...[1].map(() => JSON.parse("{"))))).toThrow(SyntaxError);
  expect(begun).toEqual([]);
  const generation = file.generation;
  look(file);
  expect(file.generation).toBe(generation);
  file.close();
});

test("a connection that can't be used is closed, so that none is left open at each try", () => {
  const path = place();
  let open = 0;
  const openDriver = (at: string) => {
    const driver = openBunDriver(at);
    open += 1;
    return {
      ...driver,
      transaction() {
        throw new StorageError("locked", "Somebody writes.");
      },
      close() {
        open -= 1;
        driver.close();
      },
    };
  };
  const file = new IndexFile({ path, openDriver, notice: () => undefined, over: () => undefined });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(() => look(file)).toThrow("Somebody writes.");
  }
  expect(open).toBe(0);
});
