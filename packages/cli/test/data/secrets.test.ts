import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toIndexPath } from "@session-runtime/opencode/search-index/place";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { databaseFacts } from "../../src/doctor/facts/database.ts";
import { DataFolders } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();
/** In two pieces, so that this file holds none. */
const SECRET = ["hunter2", "horse99"].join("");

test("what stands of secrets is counted for doctor, shown masked by memory check, and gone after --fix", async () => {
  const folder = folders.make();
  folder.open().close();
  const driver = openBunDriver(folder.path);
  const insert = "INSERT INTO user_profile (text, by, written_at_ms) VALUES (?, 'model', 1)";
  driver.run(insert, `The API password is ${SECRET}.`);
  driver.close();
  const counted = async () =>
    JSON.parse((await folder.run(["check-database", "--json"])).out).secrets;
  expect(await counted()).toEqual({ "note about you": 1 });
  const shown = await folder.run(["memory", "check"]);
  expect(shown.out).toContain("- note about you 1: The API password is [secret].");
  expect(await counted()).toEqual({ "note about you": 1 });
  const masked = await folder.run(["memory", "check", "--fix", "--json"]);
  expect(JSON.parse(masked.out)).toMatchObject({ masked: 1 });
  expect(`${shown.out}${masked.out}`).not.toContain(SECRET);
  expect(await counted()).toEqual({});
  const files = readdirSync(dirname(folder.path)).map((name) => join(dirname(folder.path), name));
  expect(files.filter((file) => readFileSync(file).includes(SECRET))).toEqual([]);
});

test("an index that can't be read, or has no place, is reported; a whole one is not", async () => {
  const folder = folders.make();
  folder.open().close();
  const path = toIndexPath(folder.path);
  const checked = async () =>
    JSON.parse((await folder.run(["check-database", "--json"])).out).index;
  openBunDriver(path).close();
  expect(await checked()).toBeNull();
  writeFileSync(path, "rubbish ".repeat(1_000));
  expect(await checked()).toBe("");
  rmSync(path);
  mkdirSync(path);
  expect(await checked()).toBeNull();
  const env = { HOME: folder.home, SESSION_RUNTIME_DB: folder.path };
  expect((await databaseFacts(env)).badIndex).toEqual({
    path,
    fault: { kind: "taken", occupant: "a folder" },
  });
});
