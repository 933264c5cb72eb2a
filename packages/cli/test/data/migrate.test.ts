import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { schema } from "../../../plugin/test/schema.ts";
import { dump } from "../../../plugin/test/storage/dump.ts";
import { sessionsIn } from "../../../plugin/test/storage/records.ts";
import { type DataFolder, DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

function dumpDatabase(path: string): string {
  const driver = openBunDriver(path);
  const text = dump(driver);
  driver.close();
  return text;
}

/** Of the files of the database, without SQLite's own. */
function names(folder: DataFolder): readonly string[] {
  return readdirSync(dirname(folder.path)).filter((name) => !/-(?:wal|shm)$/.test(name));
}

async function migrated(folder: DataFolder, ...words: readonly string[]) {
  const { out, err, exitCode } = await folder.run(["migrate", "--json", ...words]);
  return { err, exitCode, ...JSON.parse(out) };
}

describe("migrate", () => {
  test("moves a database of a development version aside, and names where, what came along and where else that is", async () => {
    const folder = folders.make();
    folder.makeDevelopment();
    const before = dumpDatabase(folder.path);
    const result = await migrated(folder);
    const { backup, markdown } = result;
    expect(result).toMatchObject({ from: 31, to: schema.version, migrated: true, left: 0 });
    expect(backup).toStartWith(`${folder.path}.development-31-`);
    expect(markdown).toBe(`${backup}.md`);
    expect(result.kept).toEqual(expect.arrayContaining(["1 memory", "2 notes", "1 queued prompt"]));
    expect(dumpDatabase(backup)).toBe(before);
    expect(readFileSync(markdown, "utf8")).toContain("- Run the migration.");
    expect(folder.open().health().schemaVersion).toBe(schema.version);
    expect(await migrated(folder)).toMatchObject({ migrated: false, backup: null });
  });

  test("says the same in words", async () => {
    const folder = folders.make();
    folder.makeDevelopment();
    const { out } = await folder.run(["migrate"]);
    expect(out).toContain("was written by a development version (schema 31)");
    expect(out).toContain(`It was moved to ${folder.path}.development-31-`);
    expect(out).toContain("1 queued prompt");
  });

  test("--dry-run changes nothing, and names what would be done", async () => {
    const folder = folders.make();
    folder.makeDevelopment();
    const before = readFileSync(folder.path);
    const { out } = await folder.run(["migrate", "--dry-run"]);
    expect(out).toContain(`It would be moved to ${folder.path}.development-31-…`);
    expect(readFileSync(folder.path)).toEqual(before);
    expect(names(folder)).toEqual(["runtime.db"]);
  });

  test("of what is up to date does nothing and makes no copy", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    expect(await migrated(folder)).toMatchObject({ migrated: false, backup: null, exitCode: 0 });
    expect(names(folder).filter((name) => name.includes("-2"))).toEqual([]);
  });

  test("does nothing while another process has the database open, at work or not", async () => {
    const folder = folders.make();
    folder.makeDevelopment();
    const driver = openBunDriver(folder.path);
    driver.exec("PRAGMA journal_mode = WAL");
    const version = () => driver.get("PRAGMA user_version")?.user_version;
    expect(version()).toBe(31);
    const { error, exitCode } = await migrated(folder);
    expect({ code: error.code, exitCode }).toEqual({ code: "database-in-use", exitCode: 1 });
    expect(version()).toBe(31);
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
  test("takes over what is not here, and leaves both sides' own as it is", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const other = folders.make();
    for (const sessionId of [first, second]) storeSession(other.open(), sessionId, Date.now());
    const before = dumpDatabase(other.path);
    const data = join(other.home, ".local/share");
    const dry = await migrated(folder, "--from", data, "--dry-run");
    expect(dry).toMatchObject({ dryRun: true, fresh: [second], there: 1 });
    expect(sessionsIn(folder.open())).toHaveLength(1);
    expect(await migrated(folder, "--from", data)).toMatchObject({ there: 1, exitCode: 0 });
    expect(await migrated(folder, "--from", data)).toMatchObject({ fresh: [], there: 2 });
    expect(folder.open().turns.recent(second, 9)).toHaveLength(3);
    expect(dumpDatabase(other.path)).toBe(before);
  });

  test("refuses a database of a development version by its name, and leaves it as it is", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const other = folders.make();
    other.makeDevelopment();
    const { error } = await migrated(folder, "--from", other.path);
    expect(error.code).toBe("database-development-schema");
    expect(error.message).toContain(other.path);
    expect(names(other)).toEqual(["runtime.db"]);
  });

  test("makes the database where there is none; what it takes over is exact", async () => {
    const other = folders.make();
    storeSession(other.open(), first, Date.now());
    storeSession(other.open(), second, Date.now());
    selectInboxStores(other.open()).leases.release(first, "nobody");
    const folder = folders.make();
    await migrated(folder, "--from", other.path);
    expect(dumpDatabase(folder.path)).toBe(dumpDatabase(other.path));
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
