import { expect, test } from "bun:test";
import { openForWriting } from "../../src/storage/open-existing.ts";
import { removeSession } from "../../src/storage/session-store.ts";
import { schema } from "../schema.ts";
import { session, sessionsIn } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();

test("a database is changed by hand with its own rules: what belongs to a session goes with it", async () => {
  const { path, database } = workspace.withEpoch();
  const driver = await openForWriting(path, schema);
  removeSession(driver, session);
  expect(driver.get("SELECT count(*) AS n FROM epoch")?.n).toBe(0);
  driver.close();
  expect(sessionsIn(database)).toEqual([]);
});

test("another version's database is refused, and stays as it is", async () => {
  const { path, driver } = workspace.withEpoch();
  driver.exec(`PRAGMA user_version = ${schema.version - 1}`);
  await expect(openForWriting(path, schema)).rejects.toMatchObject({ code: "development_schema" });
  driver.exec(`PRAGMA user_version = ${schema.version + 1}`);
  await expect(openForWriting(path, schema)).rejects.toMatchObject({ code: "newer_schema" });
  expect(driver.get("PRAGMA user_version")?.user_version).toBe(schema.version + 1);
});
