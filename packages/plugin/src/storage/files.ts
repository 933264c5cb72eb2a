// The database's files: how they are made private, identified and measured.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type { Driver } from "./driver.ts";
import { renderAdvice, StorageError } from "./errors.ts";
import { DATABASE_NAME } from "./location.ts";

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** SQLite's own companions of a database in WAL mode. */
const COMPANION_SUFFIXES = ["-wal", "-shm"];

/** Creates the file if it is missing; SQLite gives its companions the file's mode. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  if (!statSync(path, { throwIfNoEntry: false })) closeSync(openSync(path, "a", FILE_MODE));
}

/** Removes other users' permissions from our own file and its companions; never follows a link. */
export function makePrivate(path: string): void {
  for (const suffix of ["", ...COMPANION_SUFFIXES]) {
    const file = lstatSync(path + suffix, { throwIfNoEntry: false });
    const isOurs = file?.isFile() === true && file.uid === process.geteuid?.();
    if (isOurs && (file.mode & 0o077) !== 0) chmodSync(path + suffix, FILE_MODE);
  }
}

/** Returns what distinguishes a file from another that has since taken its name; null if there is no file. */
export function readFileIdentity(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true });
  return file ? `${file.dev}:${file.ino}` : null;
}

/** Says whether this process may write the database, its companions and its folder, as far as they exist. */
export function isWritable(path: string): boolean {
  try {
    // If part of the path is a file, `readFileIdentity` fails.
    const files = ["", ...COMPANION_SUFFIXES]
      .map((suffix) => path + suffix)
      .filter(readFileIdentity);
    for (const file of [dirname(path), ...files]) accessSync(file, constants.W_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** Returns the bytes on disk, including what is only in the WAL. */
export function readSizeOnDisk(path: string): number {
  return readFileSize(path) + readFileSize(`${path}-wal`);
}

function readFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Says whether the file has lost all its pages while its WAL is left: SQLite would take the file for a new
 * database and delete the WAL, which may hold everything. No database of ours gets into this state by itself.
 * The WAL is checked first, because another process that creates the database writes its first page before
 * any WAL.
 */
export function isTruncated(path: string): boolean {
  return readFileSize(`${path}-wal`) > 0 && readFileSize(path) === 0;
}

const SQLITE_HEADER = "SQLite format 3\0";

/**
 * Says whether a file that can't be read as a database never was one, as when the user has mistyped a path.
 * Under the default name every file is ours.
 */
export function isForeignFile(path: string): boolean {
  if (basename(path) === DATABASE_NAME || readFileSize(path) === 0) return false;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(SQLITE_HEADER.length);
    readSync(file, bytes);
    return bytes.toString("latin1") !== SQLITE_HEADER;
  } finally {
    closeSync(file);
  }
}

/**
 * Renames a damaged database with its companions and returns the new name; null if `identity` no longer has
 * that name because another process moved it first. The database is renamed first: if this process dies then,
 * the next one recognises and moves the remaining WAL (`isTruncated`), whereas a database without its WAL
 * would pass for a complete one. A WAL that a new database has since begun stays.
 */
export function moveAside(path: string, identity: string | null, nowMs: number): string | null {
  if (readFileIdentity(path) !== identity) return null;
  const aside = `${path}.corrupt-${new Date(nowMs).toISOString().replace(/[-:.]/g, "")}`;
  const companions = COMPANION_SUFFIXES.map(
    (suffix) => [suffix, readFileIdentity(path + suffix)] as const,
  );
  renameSync(path, aside);
  for (const [suffix, own] of companions) {
    if (own && readFileIdentity(path + suffix) === own) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}

/** Marks a database that was found damaged in use, so that the next opening checks it completely. */
export const suspectMarker = {
  of: (path: string): boolean => readFileIdentity(`${path}.suspect`) !== null,
  raise: (path: string): void => closeSync(openSync(`${path}.suspect`, "a", FILE_MODE)),
  clear: (path: string): void => rmSync(`${path}.suspect`, { force: true }),
};

// Writes only while the database's file still exists at its path.

/**
 * Wraps a driver so that it writes only while its file still has its name. SQLite would go on writing into a
 * deleted file, and everything stored there would be lost with the process.
 */
export function withFileIdentityCheck(driver: Driver, path: string): Driver {
  const identity = readFileIdentity(path);
  let isWriting = false;
  function runWrite<T>(body: () => T): T {
    if (isWriting) return body();
    if (readFileIdentity(path) !== identity)
      throw new StorageError("gone", renderAdvice("gone", path, ""));
    isWriting = true;
    try {
      return body();
    } finally {
      isWriting = false;
    }
  }
  return {
    ...driver,
    run: (sql, ...binds) => runWrite(() => driver.run(sql, ...binds)),
    transaction: (body) => runWrite(() => driver.transaction(body)),
  };
}
