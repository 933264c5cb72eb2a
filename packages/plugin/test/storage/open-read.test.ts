import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createDatabase } from "../../src/storage/database.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { openForReading } from "../../src/storage/open-existing.ts";
import { schema } from "../schema.ts";
import { nextSchema, releasedSchema } from "./next-schema.ts";
import { entryCommit, epochRecord, session, turnRecord } from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

async function refuseReading(path: string): Promise<StorageError> {
  try {
    (await openForReading(path, schema)).close();
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error("expected a StorageError");
}

describe("a database that is opened for reading", () => {
  test("shows what another connection commits, while it is open there", async () => {
    const { path, database } = workspace.withEpoch();
    const stores = createDatabase(await openForReading(path, schema), path);
    expect(stores.ledger.load(session).entries).toEqual([]);
    database.ledger.commit(entryCommit(1));
    expect(stores.ledger.load(session).epochs).toEqual([epochRecord(1)]);
    expect(stores.ledger.load(session).entries).toHaveLength(1);
    stores.close();
  });

  test("shows the same when nobody has it open any more", async () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    const stores = createDatabase(await openForReading(path, schema), path);
    expect(stores.ledger.load(session).epochs).toEqual([epochRecord(1)]);
    stores.close();
  });

  test("takes no write", async () => {
    const { path } = workspace.withEpoch();
    const stores = createDatabase(await openForReading(path, schema), path);
    expect(catchStorageError(() => stores.turns.append(turnRecord(10))).code).toBe("read_only");
    stores.close();
    expect(() => stores.ledger.load(session)).toThrow();
  });

  test("is not made where there is none", async () => {
    const path = workspace.path();
    expect((await refuseReading(path)).code).toBe("unopenable");
    expect(existsSync(path)).toBe(false);
  });

  test("is not migrated: an older schema is refused, and says what to do", async () => {
    const path = workspace.path();
    const opening = { path, schema: releasedSchema, openDriver: openBunDriver, nowMs: () => 0 };
    openRuntimeDatabaseWith(opening).database.close();
    const error = await openForReading(path, nextSchema).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "older_schema" });
    expect(String(error)).toContain(`schema ${releasedSchema.version}`);
    expect(String(error)).toContain("Start a session with Session Runtime once");
  });

  test("of a newer schema, or of another application, is refused", async () => {
    const { path, driver } = workspace.withEpoch();
    driver.exec(`PRAGMA user_version = ${schema.version + 1}`);
    expect((await refuseReading(path)).code).toBe("newer_schema");
    const foreign = workspace.path();
    const other = openBunDriver(foreign);
    other.exec("CREATE TABLE thing (id TEXT) STRICT");
    other.close();
    expect((await refuseReading(foreign)).code).toBe("unopenable");
  });

  test("that is damaged is refused, and left as it is, without a mark beside it", async () => {
    const path = workspace.path();
    writeFileSync(path, "This is no database. ".repeat(400));
    const before = readFileSync(path);
    expect((await refuseReading(path)).code).toBe("corrupt");
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(dirname(path))).toEqual(["runtime.db"]);
  });
});
