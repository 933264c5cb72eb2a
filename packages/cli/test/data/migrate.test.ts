import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { rowTest, runsOf } from "../../../e2e/test/long.ts";
import { inboxDatabase } from "../../../plugin/src/rooms/inbox/inbox-deps.ts";
import { openBunDriver } from "../../../plugin/src/storage/driver-bun.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { dump } from "../../../plugin/test/storage/dump.ts";
import { sessionsIn } from "../../../plugin/test/storage/records.ts";
import { type DataFolder, DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

function dumpOf(path: string): string {
  const driver = openBunDriver(path);
  const text = dump(driver);
  driver.close();
  return text;
}

async function migrated(folder: DataFolder, ...words: readonly string[]) {
  const { out, err, exitCode } = await folder.run(["migrate", "--json", ...words]);
  return { err, exitCode, ...JSON.parse(out) };
}

describe("migrate", () => {
  // What each step does, storage/migrations.test.ts shows; here are the oldest that has a session, and the newest.
  const versions = schema.migrations.slice(1, -1).map(({ version }) => version);
  for (const version of versions) {
    rowTest(
      runsOf(version, versions),
      `takes schema ${version} to the current one, and keeps a copy of what was`,
      async () => {
        const folder = folders.make();
        folder.makeByVersion(version);
        const before = dumpOf(folder.path);
        const result = await migrated(folder);
        expect(result).toMatchObject({ from: version, to: schema.version, migrated: true });
        expect(dumpOf(result.backup)).toBe(before);
        const { ledger, turns, health } = folder.open();
        expect(health().schemaVersion).toBe(schema.version);
        expect(ledger.load("ses_one" as SessionId).epochs).toHaveLength(2);
        expect(turns.recent("ses_one" as SessionId, 9)).toHaveLength(2);
      },
    );
  }

  test("--dry-run changes nothing, and names what would be done", async () => {
    const folder = folders.make();
    folder.makeByVersion(1);
    const before = readFileSync(folder.path);
    const { out } = await folder.run(["migrate", "--dry-run"]);
    expect(out).toContain(`has schema 1. It would be backed up to ${folder.path}.schema-1-`);
    expect(readFileSync(folder.path)).toEqual(before);
    expect(readdirSync(dirname(folder.path))).toEqual(["runtime.db"]);
  });

  test("of what is up to date does nothing and makes no copy", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    expect(await migrated(folder)).toMatchObject({ migrated: false, backup: null, exitCode: 0 });
    expect(readdirSync(dirname(folder.path)).filter((name) => name.includes("schema-"))).toEqual(
      [],
    );
  });

  test("does nothing while another process has the database open, at work or not", async () => {
    const folder = folders.make();
    folder.makeByVersion(2);
    const driver = openBunDriver(folder.path);
    driver.exec("PRAGMA journal_mode = WAL");
    const version = () => driver.get("PRAGMA user_version")?.user_version;
    expect(version()).toBe(2);
    const { error, exitCode } = await migrated(folder);
    expect({ code: error.code, exitCode }).toEqual({ code: "database-in-use", exitCode: 1 });
    expect(version()).toBe(2);
    driver.close();
    expect((await migrated(folder)).exitCode).toBe(0);
  });

  test("refuses a database of another application", async () => {
    const folder = folders.make();
    openBunDriver(folder.path).exec("CREATE TABLE thing (id TEXT) STRICT");
    const { error } = await migrated(folder);
    expect(error.code).toBe("database-unopenable");
  });
});

describe("CL2: migrate --from", () => {
  test("takes over what is not here, of any schema, and leaves both sides' own as it is", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const other = folders.make();
    other.makeByVersion(3);
    const before = dumpOf(other.path);
    const data = join(other.home, ".local/share");
    const dry = await migrated(folder, "--from", data, "--dry-run");
    expect(dry).toMatchObject({ dryRun: true, fresh: ["ses_one", "ses_two"], there: 0 });
    expect(sessionsIn(folder.open())).toHaveLength(1);
    expect(await migrated(folder, "--from", data)).toMatchObject({ there: 0, exitCode: 0 });
    expect(await migrated(folder, "--from", data)).toMatchObject({ fresh: [], there: 2 });
    expect(sessionsIn(folder.open())).toHaveLength(3);
    expect(folder.open().turns.recent("ses_one" as SessionId, 9)).toHaveLength(2);
    expect(dumpOf(other.path)).toBe(before);
  });

  test("makes the database where there is none; what it takes over is exact", async () => {
    const other = folders.make();
    storeSession(other.open(), first, Date.now());
    storeSession(other.open(), second, Date.now());
    inboxDatabase(other.open()).leases.release(first, "nobody");
    const folder = folders.make();
    await migrated(folder, "--from", other.path);
    expect(dumpOf(folder.path)).toBe(dumpOf(other.path));
  });

  test("names a folder without a database, and the database itself", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const empty = join(folder.home, "empty");
    mkdirSync(empty);
    expect((await migrated(folder, "--from", empty)).error.code).toBe("source-missing");
    const own = await migrated(folder, "--from", dirname(folder.path));
    expect(own.error.code).toBe("source-is-target");
    renameSync(empty, `${empty}-moved`);
    expect((await migrated(folder, "--from", empty)).exitCode).toBe(4);
  });
});
