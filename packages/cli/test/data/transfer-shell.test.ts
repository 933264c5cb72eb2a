import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { createOwnerId } from "@session-runtime/opencode/features/inbox/process-id";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import { createLeaseRequest } from "../../../plugin/test/features/inbox/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { epochRecord, sessionsIn } from "../../../plugin/test/storage/records.ts";
import { writeSessionFile } from "../../src/transfer/file-format.ts";
import { DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

describe("export and import from the shell", () => {
  test("export writes a private file, and writes over none unless it is told to", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const { out } = await folder.run(["export", first]);
    const file = join(folder.home, `${first}.jsonl`);
    expect(out).toStartWith(`Wrote ${file}: `);
    expect((await Bun.file(file).stat()).mode & 0o777).toBe(0o600);
    const again = await folder.run(["export", first]);
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain(`${file} already exists.`);
    expect(again.err).toContain("--force");
    const asJson = await folder.run(["export", first, "--json"]);
    expect(JSON.parse(asJson.out).error.code).toBe("file-exists");
    expect((await folder.run(["export", first, "--force"])).exitCode).toBe(0);
  });

  test("import makes a database where there is none, and the copy is exact", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const other = folders.make();
    const { out: written } = await folder.run(["export", first, "-o", "-"]);
    writeFileSync(join(other.home, "one.jsonl"), written);
    const { out } = await other.run(["import", "one.jsonl", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ sessionId: first, kind: "put" });
    const { out: back } = await other.run(["export", first, "-o", "-"]);
    expect(rowsIn(back)).toEqual(rowsIn(written));
  });

  function rowsIn(written: string): readonly string[] {
    return written.trimEnd().split("\n").slice(1, -1);
  }

  test("import leaves a session that is there alone, but for --replace", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const epoch = { ...epochRecord(6, first) };
    database.ledger.commit({ sessionId: first, expectedSeq: 5, epoch, entries: [] });
    const refused = await folder.run(["import", `${first}.jsonl`, "--json"]);
    expect(JSON.parse(refused.out).error.code).toBe("session-exists");
    expect(database.ledger.load(first).epochs).toHaveLength(3);
    database.close();
    const replaced = await folder.run(["import", `${first}.jsonl`, "--replace", "--json"]);
    expect(JSON.parse(replaced.out)).toMatchObject({ kind: "replaced" });
    expect(folder.open().ledger.load(first).epochs).toHaveLength(2);
  });

  test("import replaces no session that an idle process has open: it holds no lease", async () => {
    const folder = folders.make();
    const idle = folder.open();
    storeSession(idle, first, Date.now());
    await folder.run(["export", first]);
    const epoch = { ...epochRecord(6, first) };
    idle.ledger.commit({ sessionId: first, expectedSeq: 5, epoch, entries: [] });
    const refused = await folder.run(["import", `${first}.jsonl`, "--replace", "--json"]);
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.out).error).toMatchObject({
      code: "database-in-use",
      message: expect.stringContaining("Nothing was changed."),
      advice: expect.stringContaining(`it may have ${first} open`),
    });
    expect(idle.ledger.load(first).epochs).toHaveLength(3);
    storeSession(idle, second, Date.now());
    await folder.run(["export", second]);
    idle.sessions.remove(second);
    const added = await folder.run(["import", `${second}.jsonl`, "--replace", "--json"]);
    expect(JSON.parse(added.out)).toMatchObject({ sessionId: second, kind: "put" });
  });

  test("import replaces no session that a live process works in: its lease says so", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const times = { nowMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
    selectInboxStores(database).leases.acquire({
      ...createLeaseRequest(createOwnerId()),
      sessionId: first,
      ...times,
    });
    const { out } = await folder.run(["import", `${first}.jsonl`, "--replace", "--json"]);
    expect(JSON.parse(out).error.code).toBe("session-open");
  });

  test.each([
    ["foreign", "no export\n"],
    ["half", "cut"],
    ["changed", "changed"],
  ])("a file that is %s is refused by name, and nothing is changed", async (kind, how) => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const file = join(folder.home, `${first}.jsonl`);
    const written = readFileSync(file, "utf8");
    const broken =
      how === "cut"
        ? written.slice(0, -20)
        : how === "changed"
          ? written.replace("claude-sonnet", "claude-sonata")
          : how;
    writeFileSync(file, broken);
    database.sessions.remove(first);
    const { out } = await folder.run(["import", file, "--json"]);
    expect(JSON.parse(out).error.code).toBe(`import-${kind}`);
    expect(sessionsIn(database)).toEqual([]);
  });

  test("a file whose rows don't fit is said of the file, not of the database", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    database.close();
    const driver = openBunDriver(folder.path);
    const about = { schemaVersion: schema.version, sessionId: first, exportedAtMs: 0 };
    const rows = readSessionRows(driver, schema, first).filter(({ table }) => table !== "epoch");
    driver.close();
    writeFileSync(join(folder.home, "unfit.jsonl"), writeSessionFile(rows, about));
    const { out } = await folder.run(["import", "unfit.jsonl", "--replace", "--json"]);
    expect(JSON.parse(out).error.code).toBe("import-unfit");
    expect(folder.open().ledger.load(first).epochs).toHaveLength(2);
  });

  test.each([
    [schema.version - 1, "import-older"],
    [31, "import-older"],
    [schema.version + 1, "import-newer"],
  ])("an export of schema %d is refused, and nothing gets in: %s", async (schemaVersion, code) => {
    const other = folders.make();
    storeSession(other.open(), first, Date.now());
    const driver = openBunDriver(other.path);
    const about = { schemaVersion, sessionId: first, exportedAtMs: 0 };
    const file = writeSessionFile(readSessionRows(driver, schema, first), about);
    driver.close();
    const folder = folders.make();
    const database = folder.open();
    writeFileSync(join(folder.home, "other.jsonl"), file);
    const { out } = await folder.run(["import", "other.jsonl", "--json"]);
    expect(JSON.parse(out).error.code).toBe(code);
    expect(sessionsIn(database)).toEqual([]);
  });
});
