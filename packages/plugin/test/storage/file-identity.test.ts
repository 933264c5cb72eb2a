import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { withFileIdentityCheck } from "../../src/storage/files.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

function opened() {
  const path = workspace.path();
  const bare = openBunDriver(path);
  bare.exec("CREATE TABLE thing (id INTEGER) STRICT");
  const driver = withFileIdentityCheck(bare, path);
  const write = () => driver.run("INSERT INTO thing VALUES (1)");
  return { path, driver, write, count: () => driver.get("SELECT count(*) AS n FROM thing")?.n };
}

test("I3: nothing is written into a file that has lost its name, and it is read", () => {
  const { path, driver, write, count } = opened();
  write();
  renameSync(path, `${path}.away`);
  expect(catchStorageError(write).code).toBe("gone");
  expect(catchStorageError(() => driver.transaction(() => 1)).code).toBe("gone");
  expect(count()).toBe(1);
  writeFileSync(path, "another");
  expect(catchStorageError(write).code).toBe("gone");
  renameSync(`${path}.away`, path);
  write();
  expect(count()).toBe(2);
  driver.close();
});

test("I3: a transaction looks once, when it begins; one that fails leaves the next one looking", () => {
  const { path, driver: bare } = opened();
  const ran: string[] = [];
  // SQLite itself would notice in the middle of one.
  const transaction = <T>(body: () => T) => body();
  const run = (sql: string) => {
    ran.push(sql);
    return [];
  };
  const driver = withFileIdentityCheck({ ...bare, run, transaction }, path);
  const midway = () =>
    driver.transaction(() => {
      rmSync(path);
      driver.run("one");
      driver.transaction(() => driver.run("two"));
      throw new Error("in the middle");
    });
  expect(midway).toThrow("in the middle");
  expect(ran).toEqual(["one", "two"]);
  expect(catchStorageError(() => driver.run("three")).code).toBe("gone");
  bare.close();
});
