import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IndexFile } from "../../src/recall/index-file.ts";
import { prepareTables } from "../../src/recall/schema.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError } from "../../src/storage/store.ts";
import { folder } from "./stage.ts";

function indexAt(path: string) {
  const begun: string[] = [];
  const begunAgain = () => void begun.push(path);
  const openDriver = openBunDriver;
  return { begun, file: new IndexFile({ path, openDriver, prepare: prepareTables, begunAgain }) };
}

const place = () => join(folder(), "runtime.recall.db");
const WORDS = "SELECT count(*) AS found FROM words WHERE words MATCH 'heron'";
const look = (file: IndexFile) => file.use((driver) => driver.get(WORDS)?.found);

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
  expect(begun).toEqual([path]);
  for (const suffix of ["", "-wal"]) {
    expect(readFileSync(path + suffix, "latin1")).not.toContain("rubbish");
  }
  file.close();
});

test("nobody waits long for an index that another process is writing", () => {
  const path = place();
  const { file } = indexAt(path);
  look(file);
  const other = openBunDriver(path);
  other.exec("BEGIN IMMEDIATE");
  const began = performance.now();
  const write = () => file.use((driver) => driver.run("DELETE FROM part"));
  expect(write).toThrow(StorageError);
  expect(performance.now() - began).toBeLessThan(2_500);
  other.close();
  file.close();
});
