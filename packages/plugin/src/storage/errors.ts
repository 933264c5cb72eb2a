// Turns SQLite and file system errors into StorageErrors that say what to do.
import type { Driver } from "./driver.ts";

export type StorageErrorCode =
  | "locked"
  | "read_only"
  | "full"
  | "corrupt"
  | "newer_schema"
  | "older_schema"
  | "development_schema"
  | "unopenable"
  | "gone"
  | "failed";

export class StorageError extends Error {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "StorageError";
  }
}

/** Maps SQLite's primary result codes (https://sqlite.org/rescode.html), the low byte of an extended code. */
const ERROR_CODES_BY_RESULT_CODE: ReadonlyMap<number, StorageErrorCode> = new Map([
  [5, "locked"],
  [6, "locked"],
  [8, "read_only"],
  [11, "corrupt"],
  [13, "full"],
  [14, "unopenable"],
  [26, "corrupt"],
]);

const ERROR_CODES_BY_SYSTEM_CODE: ReadonlyMap<string, StorageErrorCode> = new Map([
  ["EACCES", "read_only"],
  ["EPERM", "read_only"],
  ["EROFS", "read_only"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EISDIR", "unopenable"],
  ["ENOTDIR", "unopenable"],
  ["EEXIST", "unopenable"],
  ["ENOENT", "unopenable"],
]);

/** Turns any error of a driver or of the file system into a `StorageError` that says what to do. */
export function toStorageError(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = classifyError(error);
  return new StorageError(code, renderAdvice(code, path, describeDetail(error)), { cause: error });
}

/**
 * Quotes an error message of SQLite or the file system. Any other error's message is left out, because it may
 * quote what was to be stored.
 */
function describeDetail(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const isOfStorage = readResultCode(error) !== null || "syscall" in error;
  return isOfStorage ? error.message : `${error.name} ${readTextCode(error)}`.trimEnd();
}

function classifyError(error: unknown): StorageErrorCode {
  if (!(error instanceof Error)) return "failed";
  const result = readResultCode(error);
  if (result !== null) return ERROR_CODES_BY_RESULT_CODE.get(result & 0xff) ?? "failed";
  return ERROR_CODES_BY_SYSTEM_CODE.get(readTextCode(error)) ?? "failed";
}

function readTextCode(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

/**
 * Reads the result code: bun:sqlite has it as `errno` of a SQLiteError, node:sqlite as `errcode` of an
 * ERR_SQLITE_ERROR. Null for other errors.
 */
function readResultCode(error: Error): number | null {
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  const isSqlite = error.name === "SQLiteError";
  return isSqlite && "errno" in error && typeof error.errno === "number" ? error.errno : null;
}

export function renderAdvice(code: StorageErrorCode, path: string, detail: string): string {
  const database = `The Session Runtime database ${path}`;
  switch (code) {
    case "locked":
      return `${database} is locked by another process. Nothing was written, and the next turn tries again. If this persists, close other processes that use it.`;
    case "read_only":
      return `${database} can't be written (${detail}). Make the file and its folder writable, or set SESSION_RUNTIME_DB to another path.`;
    case "full":
      return `${database} can't grow: the disk is full. Free some space; nothing was lost and the next turn tries again.`;
    case "corrupt":
      return `${database} is damaged (${detail}). Restart: the file is then checked, and moved aside if it can't be used.`;
    case "newer_schema":
      return `${database} was written by a newer Session Runtime (${detail}) and was left as it is. Update the plugin, or set SESSION_RUNTIME_DB to another path.`;
    case "older_schema":
      return `${database} was written by an older Session Runtime (${detail}). Start a session with Session Runtime once: that brings it up to date.`;
    case "development_schema":
      return `${database} was written by a development version of Session Runtime (${detail}). Start a session with Session Runtime once: that moves it aside, begins a new one, and brings memories, notes and queued prompts over.`;
    case "unopenable":
      return `${database} can't be opened (${detail}). Check the path, or set SESSION_RUNTIME_DB to another one.`;
    case "gone":
      return `${database} was moved or deleted while it was in use, so nothing is stored any more. Put it back, or restart, which creates a new one.`;
    case "failed":
      return `${database} refused an operation (${detail}). Nothing of it was written.`;
  }
}

/** Reports that the user's path leads to a file that this plugin has not created. */
export function createNotADatabaseError(path: string): StorageError {
  const detail = "it is not a database, and is left as it is";
  return new StorageError("unopenable", renderAdvice("unopenable", path, detail));
}

/**
 * Wraps a driver so that every error is a `StorageError`, and calls `onDamage` for a file that SQLite finds
 * broken.
 */
export function withStorageErrors(driver: Driver, path: string, onDamage: () => void): Driver {
  function translateErrors<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      const known = toStorageError(error, path);
      const isDamage = known !== error && known.code === "corrupt";
      throw isDamage ? notifyDamage(known, onDamage) : known;
    }
  }
  return {
    name: driver.name,
    exec: (sql) => translateErrors(() => driver.exec(sql)),
    run: (sql, ...binds) => translateErrors(() => driver.run(sql, ...binds)),
    get: (sql, ...binds) => translateErrors(() => driver.get(sql, ...binds)),
    all: (sql, ...binds) => translateErrors(() => driver.all(sql, ...binds)),
    erase: (sql, ...binds) => translateErrors(() => driver.erase(sql, ...binds)),
    read: (body) => translateErrors(() => driver.read(body)),
    transaction: (body) => translateErrors(() => driver.transaction(body)),
    close: () => translateErrors(() => driver.close()),
  };
}

function notifyDamage(damage: StorageError, onDamage: () => void): StorageError {
  try {
    onDamage();
    return damage;
  } catch (error) {
    const cause = new AggregateError([damage, error], "the damage could not be noted either");
    return new StorageError(damage.code, damage.message, { cause });
  }
}
