import { afterEach, expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { Driver, OpenDriver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { type OpenedDatabase, openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { schema } from "../schema.ts";
import { newDatabase } from "./new-database.ts";
import { firstCommit, sessionsIn } from "./records.ts";

export const NOON_MS = Date.UTC(2025, 5, 1, 12);

/** Temporary folders and open databases of one test file; all gone after each test. */
export class Workspace {
  #folders: string[] = [];
  /** Paths at which nothing was opened yet. */
  readonly #unused = new Set<string>();
  #closers: (() => void)[] = [];

  constructor() {
    afterEach(() => this.#clear());
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-storage-"));
    this.#folders.push(folder);
    return folder;
  }

  path(): string {
    const path = join(this.folder(), "runtime.db");
    this.#unused.add(path);
    return path;
  }

  opened(path: string, openDriver: OpenDriver = openBunDriver): OpenedDatabase {
    const opened = openRuntimeDatabaseWith({ schema, path, openDriver, nowMs: () => NOON_MS });
    this.#closers.push(opened.database.close);
    return opened;
  }

  /** At a path of `path()` it is the copy of a new one; what making one is like, `opened` shows. */
  open(path: string, openDriver: OpenDriver = openBunDriver): RuntimeDatabase {
    if (openDriver === openBunDriver) this.#prepare(path);
    return this.opened(path, openDriver).database;
  }

  #prepare(path: string): void {
    if (!this.#unused.delete(path) || existsSync(path)) return;
    writeFileSync(path, newDatabase(), { mode: 0o600 });
  }

  /** A database with one epoch, and the driver that it runs on. */
  withEpoch() {
    const path = this.path();
    this.#prepare(path);
    const drivers: Driver[] = [];
    const database = this.open(path, (file) => {
      const driver = openBunDriver(file);
      drivers.push(driver);
      return driver;
    });
    database.ledger.commit(firstCommit());
    const [driver] = drivers;
    if (!driver) throw new Error("the opener made no driver");
    return { path, database, driver };
  }

  #clear(): void {
    for (const close of this.#closers.splice(0)) close();
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The error that `body` throws; fails when it is no StorageError. */
export function catchStorageError(body: () => unknown): StorageError {
  try {
    body();
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error("expected a StorageError");
}

export function expectNewlyWritable(database: RuntimeDatabase): void {
  expect(sessionsIn(database)).toEqual([]);
  expect(database.ledger.commit(firstCommit())).toEqual({ kind: "committed" });
}
