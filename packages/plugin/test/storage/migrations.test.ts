import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { FIRST_SCHEMA_VERSION, type Schema } from "../../src/storage/schema.ts";
import { schema } from "../schema.ts";
import { type Fault, FaultPlan, forEachCrash, openWithFaults } from "./faults.ts";
import { nextBirdTable, nextSchema, releasedSchema } from "./next-schema.ts";
import { firstCommit, session } from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const RELEASED = join(import.meta.dir, `schema-${FIRST_SCHEMA_VERSION}.sql`);

function opened(path: string, schema: Schema, openDriver = openBunDriver): void {
  openRuntimeDatabaseWith({ path, schema, openDriver, nowMs: () => 0 }).database.close();
}

function withDriver<Result>(path: string, body: (driver: Driver) => Result): Result {
  const driver = openBunDriver(path);
  try {
    return body(driver);
  } finally {
    driver.close();
  }
}

/** What a table lets in and how it is found, whatever order its columns came in. */
function shapes(driver: Driver) {
  const tables = driver.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  const others = driver.all(
    "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name",
  );
  const columns = `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY name`;
  return {
    tables: tables.map(({ name }) => [name, driver.all(columns, name ?? null)]),
    others,
    version: driver.get("PRAGMA user_version"),
  };
}

describe("the schema", () => {
  test("K4: of version 0.1.0 is what its tables declare: a released one never changes", () => {
    const { sql, migrations } = schema;
    if (process.env.UPDATE_GOLDEN === "1" && migrations.length === 0) writeFileSync(RELEASED, sql);
    const released = openBunDriver(":memory:");
    released.exec(readFileSync(RELEASED, "utf8"));
    for (const migration of migrations) released.exec(migration.sql);
    const fresh = openBunDriver(":memory:");
    fresh.exec(sql);
    expect(shapes(released)).toEqual(shapes(fresh));
    if (migrations.length === 0) expect(sql).toBe(readFileSync(RELEASED, "utf8"));
    for (const driver of [released, fresh]) driver.close();
  });

  test("K4: has one version per step, from that of 0.1.0 on", () => {
    expect(schema.migrations.map(({ version }) => version)).toEqual(
      schema.migrations.map((_, index) => FIRST_SCHEMA_VERSION + index + 1),
    );
    expect(schema.version).toBe(FIRST_SCHEMA_VERSION + schema.migrations.length);
  });
});

describe("the next step", () => {
  /** A database of the released version, with a row of the table that changes and a session. */
  function released(): string {
    const path = workspace.path();
    const opening = { path, schema: releasedSchema, openDriver: openBunDriver, nowMs: () => 0 };
    const { database } = openRuntimeDatabaseWith(opening);
    database.ledger.commit(firstCommit());
    database.close();
    withDriver(path, (driver) => driver.exec("INSERT INTO bird (id, name) VALUES (7, 'heron')"));
    return path;
  }

  const heron = { id: 7, name: "heron", seenAtMs: null, colour: "grey" };

  test("K4: a database of the released version becomes like a fresh one and keeps its rows", () => {
    const path = released();
    const opening = { path, schema: nextSchema, openDriver: openBunDriver, nowMs: () => 0 };
    const { database, movedAside } = openRuntimeDatabaseWith(opening);
    expect(movedAside).toBeNull();
    expect(database.ledger.load(session).epochs).toHaveLength(1);
    database.close();
    const fresh = workspace.path();
    opened(fresh, nextSchema);
    expect(withDriver(path, shapes)).toEqual(withDriver(fresh, shapes));
    expect(withDriver(path, (driver) => nextBirdTable.in(driver).list({}))).toEqual([heron]);
  });

  test("K3: the released version refuses what the next one has made", () => {
    const path = released();
    opened(path, nextSchema);
    expect(catchStorageError(() => opened(path, releasedSchema)).code).toBe("newer_schema");
  });

  test("K1, K4: a crash at any storage call leaves what was before it or after it", () => {
    const plan = new FaultPlan();
    const openDriver = openWithFaults(openBunDriver, plan);
    opened(released(), nextSchema, openDriver);
    const { calls } = plan;
    expect(calls).toBeGreaterThan(0);
    forEachCrash(calls, (fault: Fault) => {
      const path = released();
      plan.arm(fault);
      expect(catchStorageError(() => opened(path, nextSchema, openDriver)).cause).toBe(fault.error);
      plan.disarm();
      opened(path, nextSchema);
      expect(withDriver(path, (driver) => nextBirdTable.in(driver).list({}))).toEqual([heron]);
    });
  });
});
