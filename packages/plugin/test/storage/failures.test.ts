import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { Driver, OpenDriver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { schema } from "../schema.ts";
import { makeDevelopmentDatabase } from "./development-database.ts";
import { sqliteError } from "./faults.ts";
import { reportsIn, spawnWorker } from "./processes.ts";
import { entryCommit, entryRecord, epochRecord, session, turnRecord } from "./records.ts";
import { catchStorageError, expectNewlyWritable, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const PAGE_BYTES = 4096;

/** What must hold while nothing can be written: the refusal has its code, what is there is read. */
function expectRefusal(database: RuntimeDatabase, code: string): void {
  const error = catchStorageError(() => database.ledger.commit(entryCommit(1)));
  expect(error.code).toBe(code as typeof error.code);
  expect(error.message.length).toBeGreaterThan(40);
  expect(catchStorageError(() => database.turns.append(turnRecord(1))).code).toBe(error.code);
  expect(database.ledger.load(session)).toEqual({ epochs: [epochRecord(1)], entries: [] });
}

function expectWritable(database: RuntimeDatabase): void {
  expect(database.ledger.commit(entryCommit(1))).toEqual({ kind: "committed" });
}

describe("the change to WAL", () => {
  /** A driver whose change to WAL fails so often. */
  function failing(code: "SQLITE_BUSY" | "SQLITE_READONLY", times: number) {
    const tries = { count: 0 };
    const open: OpenDriver = (path) => {
      const driver = openBunDriver(path);
      const get: Driver["get"] = (sql, ...binds) => {
        if (sql !== "PRAGMA journal_mode = WAL") return driver.get(sql, ...binds);
        tries.count += 1;
        if (tries.count <= times) throw sqliteError(code);
        return driver.get(sql, ...binds);
      };
      return { ...driver, get };
    };
    return { tries, open };
  }

  test("K3: waits for others that begin the same database", () => {
    const { tries, open } = failing("SQLITE_BUSY", 3);
    expectNewlyWritable(workspace.open(workspace.path(), open));
    expect(tries.count).toBe(4);
  });

  test("K3: gives up a lock that stays after a second, and anything else at once", () => {
    for (const [code, said, fewest, most] of [
      ["SQLITE_BUSY", "locked", 20, 1_000],
      ["SQLITE_READONLY", "read_only", 1, 1],
    ] as const) {
      const { tries, open } = failing(code, Number.POSITIVE_INFINITY);
      const error = catchStorageError(() => workspace.open(workspace.path(), open));
      expect(error.code).toBe(said);
      expect(tries.count).toBeGreaterThanOrEqual(fewest);
      expect(tries.count).toBeLessThanOrEqual(most);
    }
  });
});

describe("locked", () => {
  test("K3: while another connection holds BEGIN EXCLUSIVE a write is refused before that lets go, reads go on", () => {
    const { path, database } = workspace.withEpoch();
    const other = openBunDriver(path);
    other.exec("BEGIN EXCLUSIVE");
    expectRefusal(database, "locked");
    other.exec("ROLLBACK");
    other.close();
    expectWritable(database);
  });

  test("K3: a write waits for another process's short lock instead of failing at once", async () => {
    const { path, database } = workspace.withEpoch();
    const worker = spawnWorker("short-lock.ts", path, "80");
    const [locked] = reportsIn(await firstChunk(worker.stdout));
    expect(locked).toBe("locked");
    expectWritable(database);
    expect(await worker.exited).toBe(0);
  });

  test("K3: so does the opening of a database that has to be replaced", async () => {
    const path = workspace.path();
    makeDevelopmentDatabase(path);
    const worker = spawnWorker("short-lock.ts", path, "500");
    await firstChunk(worker.stdout);
    expect(workspace.opened(path).movedAside).toMatchObject({ kind: "development" });
    expect(await worker.exited).toBe(0);
  });

  async function firstChunk(output: ReadableStream<Uint8Array>): Promise<string> {
    for await (const chunk of output) return new TextDecoder().decode(chunk);
    return "";
  }

  test("K3: an existing database opens and is read while another connection holds BEGIN EXCLUSIVE", () => {
    const { path } = workspace.withEpoch();
    const other = openBunDriver(path);
    other.exec("BEGIN EXCLUSIVE");
    expectRefusal(workspace.open(path), "locked");
    other.close();
  });

  test("K3: a new database that another connection holds locked is refused as locked, not moved", () => {
    const path = workspace.path();
    const other = openBunDriver(path);
    other.exec("BEGIN EXCLUSIVE");
    expect(catchStorageError(() => workspace.open(path)).code).toBe("locked");
    other.exec("ROLLBACK");
    other.close();
    expect(workspace.opened(path).movedAside).toBeNull();
  });
});

describe("gone", () => {
  test("I3, K3: a database that was deleted in use takes no write, and what it held is read", () => {
    const { path, database } = workspace.withEpoch();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    expectRefusal(database, "gone");
  });

  test("I3, K3: nor does one in whose place another stands; back in its place it takes them again", () => {
    const { path, database } = workspace.withEpoch();
    renameSync(path, `${path}.kept`);
    writeFileSync(path, "");
    expectRefusal(database, "gone");
    renameSync(`${path}.kept`, path);
    expectWritable(database);
  });
});

describe("a new file's switch to WAL", () => {
  /** As it is when several processes begin a database at once: SQLite itself does not wait. */
  function lockedFor(refusals: number): OpenDriver {
    let left = refusals;
    return (path) => {
      const driver = openBunDriver(path);
      const get: Driver["get"] = (sql, ...binds) => {
        if (sql !== "PRAGMA journal_mode = WAL" || left === 0) return driver.get(sql, ...binds);
        left -= 1;
        throw sqliteError("SQLITE_BUSY");
      };
      return { ...driver, get };
    };
  }

  test("K2: waits for a lock that passes", () => {
    expectNewlyWritable(workspace.open(workspace.path(), lockedFor(3)));
  });

  test("K3: gives up a lock that stays", () => {
    const path = workspace.path();
    const opening = () => workspace.open(path, lockedFor(Number.POSITIVE_INFINITY));
    expect(catchStorageError(opening).code).toBe("locked");
    expectNewlyWritable(workspace.open(path));
  });
});

describe("read-only", () => {
  test("K3: a connection set to PRAGMA query_only refuses writes as read_only, reads go on", () => {
    const { database, driver } = workspace.withEpoch();
    driver.exec("PRAGMA query_only = ON");
    expectRefusal(database, "read_only");
    driver.exec("PRAGMA query_only = OFF");
    expectWritable(database);
  });

  /** What a process without the right to write gets, as user nobody where the tests run as root. */
  async function unprivileged(path: string): Promise<unknown[]> {
    const worker = spawnWorker("unprivileged.ts", path);
    const reports = reportsIn(await new Response(worker.stdout).text());
    expect(await worker.exited).toBe(0);
    return reports;
  }

  const refusal = { code: "read_only", message: expect.stringContaining("SESSION_RUNTIME_DB") };

  test("K3: a file of mode 0444 in a folder of mode 0555 is refused as read_only", async () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o555);
    expect(await unprivileged(path)).toEqual([refusal]);
  });

  test("K3: a file of mode 0444 in a folder that can be written is read, and its commits refused as read_only", async () => {
    const { path, database } = workspace.withEpoch();
    database.close();
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o777);
    expect(await unprivileged(path)).toEqual([{ loaded: 1 }, refusal]);
  });

  test("K3: a folder of mode 0555 without a database is refused as read_only", async () => {
    const folder = workspace.folder();
    chmodSync(folder, 0o555);
    expect(await unprivileged(join(folder, "runtime.db"))).toEqual([refusal]);
    expect(await unprivileged(join(folder, "deeper", "runtime.db"))).toEqual([refusal]);
  });
});

describe("full", () => {
  test("K3: a full disk, made by PRAGMA max_page_count, loses nothing that was committed and passes when there is room", () => {
    const { database, driver } = workspace.withEpoch();
    const pages = Number(driver.get("PRAGMA page_count")?.page_count);
    driver.exec(`PRAGMA max_page_count = ${pages}`);
    const text = "x".repeat(40 * PAGE_BYTES);
    const entry = { ...entryRecord(2, 1), edit: { ...entryRecord(2, 1).edit, text } };
    const commit = { ...entryCommit(1), entries: [entry as ReturnType<typeof entryRecord>] };
    const error = catchStorageError(() => database.ledger.commit(commit));
    expect(error.code).toBe("full");
    expect(error.message).toContain("Free some space");
    expect(database.ledger.load(session)).toEqual({ epochs: [epochRecord(1)], entries: [] });
    driver.exec("PRAGMA max_page_count = 1000000");
    expect(database.ledger.commit(commit)).toEqual({ kind: "committed" });
  });
});

describe("not for us", () => {
  test("K3: a database of a newer version is refused and left byte for byte", () => {
    const { path, database, driver } = workspace.withEpoch();
    driver.exec("PRAGMA user_version = 999");
    database.close();
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    const error = catchStorageError(() => workspace.open(path));
    expect(error.code).toBe("newer_schema");
    expect(error.message).toContain("999");
    expect(readFileSync(path).equals(before)).toBeTrue();
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(readdirSync(dirname(path))).toEqual(["runtime.db"]);
  });

  test("K3: another application's database is refused and left byte for byte", () => {
    const path = workspace.path();
    const theirs = openBunDriver(path);
    theirs.exec("CREATE TABLE message (id TEXT PRIMARY KEY); PRAGMA user_version = 1");
    theirs.close();
    const before = readFileSync(path);
    const error = catchStorageError(() => workspace.open(path));
    expect(error.code).toBe("unopenable");
    expect(error.message).toContain("another application");
    expect(readFileSync(path).equals(before)).toBeTrue();
  });

  test("K3: a folder in the database's place is told as unopenable", () => {
    const path = workspace.path();
    mkdirSync(path);
    expect(catchStorageError(() => workspace.open(path)).code).toBe("unopenable");
  });

  test("K3: a file in the folder's place is told as unopenable", () => {
    const path = workspace.path();
    writeFileSync(path, "");
    const below = join(path, "runtime.db");
    expect(catchStorageError(() => workspace.open(below)).code).toBe("unopenable");
  });

  test("an error that no one foresaw becomes `failed`, keeps its cause, and is told without its words", () => {
    const cause = new TypeError("surprise");
    const opening = { path: workspace.path(), nowMs: () => 0 };
    const openDriver = () => {
      throw cause;
    };
    const error = catchStorageError(() =>
      openRuntimeDatabaseWith({ schema, ...opening, openDriver }),
    );
    expect([error.code, error.cause]).toEqual(["failed", cause]);
    expect(error.message).toContain("refused an operation (TypeError)");
  });
});
