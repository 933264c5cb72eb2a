// The index's file: derived data, which is thrown away and begun again where it can't be used.
import { rmSync } from "node:fs";
import type { Driver, OpenDriver } from "../../storage/driver.ts";
import { storageError, withStorageErrors } from "../../storage/errors.ts";
import { createPrivately, identityOf, makePrivate, sizeBytes } from "../../storage/files.ts";
import { guardRealData, processSurroundings } from "../../storage/location.ts";
import { StorageError } from "../../storage/store.ts";
import { occupantOf, PlaceTaken } from "./index-place.ts";

/** Short: it is waited for on the host's own thread, and what isn't indexed now is indexed later. */
const BUSY_TIMEOUT_MS = 50;

interface IndexFileDeps {
  readonly path: string;
  readonly openDriver: OpenDriver;
  /** Makes the tables of an empty file. @returns false for those of another version */
  readonly prepare: (driver: Driver) => boolean;
  /** It was damaged, and is empty now. */
  readonly begunAgain: () => void;
}

/**
 * For an index whose version is its file's `user_version`, which the last line of `tables` sets. The function
 * returns false for an index of another version, which is of no use.
 */
export function makeTables(version: number, tables: string): IndexFileDeps["prepare"] {
  return (driver) => {
    const found = () => Number(driver.get("PRAGMA user_version")?.user_version);
    if (found() === version) return true;
    return driver.transaction(() => {
      if (found() === version) return true;
      const isEmpty = driver.get("SELECT 1 AS found FROM sqlite_schema LIMIT 1") === null;
      if (isEmpty) driver.exec(tables);
      return isEmpty;
    });
  };
}

export class IndexFile {
  #driver: Driver | null = null;
  #identity: string | null = null;
  #generation = 0;

  constructor(private readonly deps: IndexFileDeps) {}

  /** Changes whenever the file is another one: what is known of the former says nothing of this one. */
  get generation(): number {
    return this.#generation;
  }

  get sizeBytes(): number {
    return sizeBytes(this.deps.path);
  }

  /**
   * Runs `work` on the index; a damaged one is emptied first, and the work then done once more.
   * @throws StorageError, and of these PlaceTaken where something else stands in the file's place
   */
  use<T>(work: (driver: Driver) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#beginAgain();
      this.deps.begunAgain();
      return work(this.#open());
    }
  }

  close(): void {
    const driver = this.#driver;
    this.#driver = null;
    driver?.close();
  }

  #open(): Driver {
    const { path } = this.deps;
    // SQLite would go on writing into a file that was deleted.
    if (this.#driver && identityOf(path) === this.#identity) return this.#driver;
    this.close();
    guardRealData(path, processSurroundings());
    const occupant = occupantOf(path);
    if (occupant !== null) throw new PlaceTaken(path, occupant);
    createPrivately(path);
    makePrivate(path);
    const driver = this.#connect();
    this.#driver = driver;
    this.#identity = identityOf(path);
    this.#generation += 1;
    return driver;
  }

  #connect(): Driver {
    const { path, openDriver, prepare } = this.deps;
    let driver: Driver | null = null;
    try {
      driver = withStorageErrors(openDriver(path), path, () => undefined);
      driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      driver.get("PRAGMA journal_mode = WAL");
      driver.exec("PRAGMA synchronous = NORMAL");
      if (prepare(driver)) return driver;
      throw new StorageError("corrupt", "The search index is of another version.");
    } catch (error) {
      driver?.close();
      throw storageError(error, path);
    }
  }

  #beginAgain(): void {
    const { path } = this.deps;
    this.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

/** A table that is missing or of another shape is damage, too: no version of ours left it so. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false;
  if (error.code === "corrupt") return true;
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return error.code === "failed" && /no such table|vtable constructor failed/.test(cause);
}
