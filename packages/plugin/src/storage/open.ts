// Opens the database; creates or migrates it, or moves an unusable file aside.
import { loadRuntimeDriver } from "./connect.ts";
import { createDatabase, type RuntimeDatabase } from "./database.ts";
import { type DevelopmentReplacement, replaceDevelopmentDatabase } from "./development.ts";
import type { Driver, OpenDriver } from "./driver.ts";
import {
  createNotADatabaseError,
  StorageError,
  toStorageError,
  withStorageErrors,
} from "./errors.ts";
import {
  createPrivateFile,
  isForeignFile,
  isTruncated,
  makePrivate,
  moveAside,
  readFileIdentity,
  suspectMarker,
  withFileIdentityCheck,
} from "./files.ts";
import { guardRealData, readPathEnvironment } from "./location.ts";
import { migrate, refuseUnknownSchema } from "./migrations.ts";
import type { Schema } from "./schema.ts";

/** Limits a call's wait for another process's lock, because the user waits too. */
const BUSY_TIMEOUT_MS = 250;

/**
 * A call waits longer while a database is created or migrated: this happens once, and another process's work
 * serves us too.
 */
const OPENING_TIMEOUT_MS = 1_000;
const WAL_RETRY_DELAY_MS = 5;

export interface OpenedDatabase {
  readonly database: RuntimeDatabase;
  /** Describes the unusable database that this call found and moved; null if there was none. */
  readonly movedAside: MovedDatabase | null;
}

/** Describes a database that was moved away and replaced by a new one. */
export type MovedDatabase =
  | { readonly kind: "damaged"; readonly aside: string }
  | ({ readonly kind: "development" } & DevelopmentReplacement);

/** Says where to open and with which driver; tests inject drivers that fail. */
interface OpenOptions {
  readonly path: string;
  readonly schema: Schema;
  readonly openDriver: OpenDriver;
  readonly nowMs: () => number;
}

/**
 * Opens the database at `path` with the runtime's own SQLite, and creates it or brings its schema up to date
 * if needed.
 * @throws StorageError of any code but `corrupt`, unless moving a damaged file aside failed.
 */
export async function openRuntimeDatabase(
  what: Pick<OpenOptions, "path" | "schema">,
): Promise<OpenedDatabase> {
  return openRuntimeDatabaseWith({
    ...what,
    openDriver: await loadRuntimeDriver(),
    nowMs: Date.now,
  });
}

export function openRuntimeDatabaseWith(opening: OpenOptions): OpenedDatabase {
  const { path } = opening;
  try {
    guardRealData(path, readPathEnvironment());
    createPrivateFile(path);
    return openChecked(opening);
  } catch (error) {
    throw toStorageError(error, path);
  }
}

/**
 * Opens the database and checks it completely only under suspicion, because the check's time grows with the
 * file.
 */
function openChecked(opening: OpenOptions): OpenedDatabase {
  const { path } = opening;
  const identity = readFileIdentity(path);
  if (isTruncated(path)) return startOver(opening, identity);
  if (suspectMarker.of(path)) {
    if (!isSound(opening)) return startOver(opening, identity);
    suspectMarker.clear(path);
  }
  try {
    return connectForWriting(opening);
  } catch (error) {
    const { code } = toStorageError(error, path);
    const isDamaged = code === "corrupt" || (code === "failed" && !isSound(opening));
    if (!isDamaged) throw error;
    return startOver(opening, identity);
  }
}

function startOver(opening: OpenOptions, identity: string | null): OpenedDatabase {
  if (isForeignFile(opening.path)) throw createNotADatabaseError(opening.path);
  const movedAside = moveAside(opening.path, identity, opening.nowMs());
  suspectMarker.clear(opening.path);
  createPrivateFile(opening.path);
  const { database } = connectForWriting(opening);
  return {
    database,
    movedAside: movedAside === null ? null : { kind: "damaged", aside: movedAside },
  };
}

function connectForWriting(opening: OpenOptions): OpenedDatabase {
  const driver = openGuarded(opening);
  try {
    driver.read(() => refuseUnknownSchema(driver, opening.path, opening.schema));
    makePrivate(opening.path);
    useWal(driver);
    const replaced = replaceDevelopmentDatabase({ ...opening, driver, nowMs: opening.nowMs() });
    driver.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL");
    migrate(driver, opening.schema);
    driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const movedAside = replaced && ({ kind: "development", ...replaced } as const);
    return { database: createDatabase(driver, opening.path), movedAside };
  } catch (error) {
    driver.close();
    throw error;
  }
}

function openGuarded({ path, openDriver }: OpenOptions): Driver {
  const opened = openDriver(path);
  const driver = withStorageErrors(withFileIdentityCheck(opened, path), path, () =>
    suspectMarker.raise(path),
  );
  driver.exec(`PRAGMA busy_timeout = ${OPENING_TIMEOUT_MS}`);
  return driver;
}

/**
 * Switches a file to WAL mode, once in its life. SQLite does not wait for the lock that this takes: of
 * processes that open a new database at once, all but one find it locked, so they wait here.
 */
function useWal(driver: Driver): void {
  const deadlineMs = performance.now() + OPENING_TIMEOUT_MS;
  while (driver.get("PRAGMA journal_mode")?.journal_mode !== "wal") {
    try {
      driver.get("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isLocked = error instanceof StorageError && error.code === "locked";
      if (!isLocked || performance.now() > deadlineMs) throw error;
      pause(WAL_RETRY_DELAY_MS);
    }
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Checks the file. @throws StorageError when the check itself could not run, which says nothing about the
 * file.
 */
function isSound(opening: OpenOptions): boolean {
  const driver = openGuarded(opening);
  try {
    return driver.get("PRAGMA quick_check(1)")?.quick_check === "ok";
  } catch (error) {
    if (error instanceof StorageError && error.code === "corrupt") return false;
    throw error;
  } finally {
    driver.close();
  }
}
