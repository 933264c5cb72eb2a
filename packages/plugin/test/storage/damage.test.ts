import { describe, expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Driver, OpenDriver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { moveAside, readFileIdentity } from "../../src/storage/files.ts";
import { openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { openForReading } from "../../src/storage/open-existing.ts";
import { schema } from "../schema.ts";
import { sqliteError } from "./faults.ts";
import { epochRecord, firstCommit, session } from "./records.ts";
import { catchStorageError, expectNewlyWritable, NOON_MS, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const PAGE_BYTES = 4096;

describe("corrupt", () => {
  test("K3: a file that is no database is moved aside with its name told, and a new one begun", () => {
    const path = workspace.path();
    writeFileSync(path, "These are not the pages that you are looking for. ".repeat(200));
    const { database, movedAside } = workspace.opened(path);
    const aside = `${path}.corrupt-20250601T120000000Z`;
    expect(movedAside).toEqual({ kind: "damaged", aside });
    expect(readFileSync(aside, "utf8")).toStartWith("These are not");
    expect(readdirSync(dirname(path)).filter((name) => name.includes("suspect"))).toEqual([]);
    expect(database.ledger.commit(firstCommit())).toEqual({ kind: "committed" });
  });

  test("K3: a file of the user's that a path was mistyped to stays as it is, for a reader too", async () => {
    const path = join(dirname(workspace.path()), "notes.md");
    for (const text of ["# Mine\n", "These are not the pages. ".repeat(400)]) {
      writeFileSync(path, text, { mode: 0o644 });
      for (const error of [
        catchStorageError(() => workspace.opened(path)),
        await openForReading(path, schema).catch((thrown) => thrown),
      ]) {
        expect(error).toBeInstanceOf(StorageError);
        expect(error.code).toBe("unopenable");
        expect(error.message).toContain("it is not a database, and is left as it is");
      }
      expect(readFileSync(path, "utf8")).toBe(text);
      expect(statSync(path).mode & 0o777).toBe(0o644);
    }
    expect(readdirSync(dirname(path)).filter((name) => name.includes("corrupt"))).toEqual([]);
  });

  test("K3: a damaged database under a name of the user's is moved aside like ours", () => {
    const path = join(dirname(workspace.path()), "mine.db");
    writeFileSync(path, `SQLite format 3\0${"rubbish ".repeat(1_000)}`);
    expect(workspace.opened(path).movedAside).not.toBeNull();
  });

  test("K3: a database whose schema page is overwritten is moved aside", () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    overwrite(path, 100, PAGE_BYTES - 100);
    const { movedAside } = workspace.opened(path);
    expect(movedAside).not.toBeNull();
  });

  test("K3: a database that was cut short is moved aside", () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    truncateSync(path, PAGE_BYTES + 100);
    const { movedAside, database: anew } = workspace.opened(path);
    if (movedAside === null) {
      // SQLite opens it: the damage shows at the first use, and at the next opening it is moved.
      expect(catchStorageError(() => anew.ledger.load(session)).code).toBe("corrupt");
      anew.close();
      expect(workspace.opened(path).movedAside).not.toBeNull();
    }
  });

  test("K3: damage that is met in use is told as corrupt, and the next opening moves the file aside", () => {
    const { path, database, driver } = workspace.withEpoch();
    const root = Number(
      driver.get("SELECT rootpage FROM sqlite_schema WHERE name = 'epoch'")?.rootpage,
    );
    database.close();
    overwrite(path, (root - 1) * PAGE_BYTES, PAGE_BYTES);
    const damaged = workspace.opened(path);
    expect(damaged.movedAside).toBeNull();
    const error = catchStorageError(() => damaged.database.ledger.load(session));
    expect(error.code).toBe("corrupt");
    expect(error.message).toContain("Restart: the file is then checked");
    damaged.database.close();
    const { movedAside, database: anew } = workspace.opened(path);
    expect(movedAside).not.toBeNull();
    expectNewlyWritable(anew);
    anew.close();
    expect(workspace.opened(path).movedAside).toBeNull();
  });

  test("K3: a suspicion that proves unfounded moves nothing and is dropped", () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    writeFileSync(`${path}.suspect`, "");
    const { movedAside, database: same } = workspace.opened(path);
    expect(movedAside).toBeNull();
    expect(same.ledger.load(session).epochs).toEqual([epochRecord(1)]);
    expect(readdirSync(dirname(path))).not.toContain(`${basename(path)}.suspect`);
  });

  test("K3: the WAL of a damaged database goes along, so that the new one does not find it", () => {
    const { path, driver } = workspace.withEpoch();
    driver.get("PRAGMA wal_checkpoint(TRUNCATE)");
    writeFileSync(path, "no database ".repeat(900));
    const { movedAside, database } = workspace.opened(path);
    const names = ["", "-wal", "-shm"].map((suffix) => basename(`${movedAside?.aside}${suffix}`));
    expect(readdirSync(dirname(path))).toEqual(expect.arrayContaining(names));
    expectNewlyWritable(database);
  });

  test("K3: a database that was cut to nothing while its WAL held everything is moved aside with it, and told", () => {
    const { path, database } = workspace.withEpoch();
    const wal = readFileSync(`${path}-wal`);
    expect(wal.length).toBeGreaterThan(PAGE_BYTES);
    // As a crash leaves it: closing would take the WAL into the file.
    const left = workspace.path();
    writeFileSync(left, "");
    writeFileSync(`${left}-wal`, wal);
    database.close();
    const { movedAside, database: fresh } = workspace.opened(left);
    expect(readFileSync(`${movedAside?.aside}-wal`)).toEqual(wal);
    expectNewlyWritable(fresh);
  });

  test("K3: a process that dies as it moves a database aside leaves no old WAL to the new one", () => {
    const { path, database } = workspace.withEpoch();
    const wal = readFileSync(`${path}-wal`);
    const left = workspace.path();
    writeFileSync(left, "no database ".repeat(900));
    writeFileSync(`${left}-wal`, wal);
    database.close();
    const before = readFileIdentity(left);
    // All names but the database's own are taken, so that only its rename succeeds.
    mkdirSync(`${left}.corrupt-20250601T120000000Z-wal`);
    expect(() => moveAside(left, before, NOON_MS)).toThrow();
    expect(readdirSync(dirname(left))).toContain(`${basename(left)}-wal`);
    rmSync(`${left}.corrupt-20250601T120000000Z-wal`, { recursive: true });
    rmSync(`${left}.corrupt-20250601T120000000Z`);
    const { movedAside, database: fresh } = workspace.opened(left);
    expect(readFileSync(`${movedAside?.aside}-wal`)).toEqual(wal);
    expectNewlyWritable(fresh);
  });

  test("K3: a database that was moved by another process first is left alone, with the WAL of the new one", () => {
    const { path } = workspace.withEpoch();
    expect(moveAside(path, "1:1", NOON_MS)).toBeNull();
    expect(readdirSync(dirname(path))).toContain("runtime.db-wal");
  });

  /** An opener whose first look at the schema fails for no known reason, with what a check of the file says. */
  function failingOnce(check: string | Error) {
    const open = { connections: 0, failures: 0 };
    const openDriver: OpenDriver = (path) => {
      const driver = openBunDriver(path);
      open.connections += 1;
      const get: Driver["get"] = (sql, ...binds) => {
        if (sql.startsWith("PRAGMA quick_check")) {
          if (check instanceof Error) throw check;
          return { quick_check: check };
        }
        if (sql !== "PRAGMA user_version" || open.failures > 0) return driver.get(sql, ...binds);
        open.failures += 1;
        throw sqliteError("SQLITE_ERROR");
      };
      const close = () => {
        open.connections -= 1;
        driver.close();
      };
      return { ...driver, get, close };
    };
    return { open, openDriver };
  }

  const opening = (path: string, openDriver: OpenDriver) => () =>
    openRuntimeDatabaseWith({ schema, path, openDriver, nowMs: () => NOON_MS });

  test("K3: what fails without a known reason is told where the file is sound or can't be checked, and nothing is moved", () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    for (const [check, code] of [
      ["ok", "failed"],
      [sqliteError("SQLITE_BUSY"), "locked"],
    ] as const) {
      const { open, openDriver } = failingOnce(check);
      expect(catchStorageError(opening(path, openDriver)).code).toBe(code);
      expect(open).toEqual({ connections: 0, failures: 1 });
    }
    expect(workspace.open(path).ledger.load(session).epochs).toEqual([epochRecord(1)]);
  });

  test("K3: where the file is not sound, or its check meets damage, it is moved aside for that", () => {
    for (const check of ["row 1 missing from index", sqliteError("SQLITE_CORRUPT")]) {
      const { path, database } = workspace.withEpoch();
      database.close();
      const { open, openDriver } = failingOnce(check);
      const { movedAside, database: fresh } = opening(path, openDriver)();
      expect(movedAside).not.toBeNull();
      expect(open).toEqual({ connections: 1, failures: 1 });
      expectNewlyWritable(fresh);
      fresh.close();
      expect(open.connections).toBe(0);
    }
  });

  function overwrite(path: string, from: number, bytes: number): void {
    const file = openSync(path, "r+");
    writeSync(file, new Uint8Array(bytes).fill(0xa5), 0, bytes, from);
    closeSync(file);
  }
});
