// Tests whether the database can be written, by a temporary file beside it.
import {
  closeSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { StorageErrorCode } from "@session-runtime/opencode/storage/errors";
import { toStorageError } from "@session-runtime/opencode/storage/errors";
import { systemReason } from "../../system-error.ts";

export type WriteTest =
  | { readonly kind: "writable" }
  | {
      readonly kind: "refused";
      /** The error code that /ctx-status uses. */
      readonly code: StorageErrorCode;
      /** The file or folder that refused. */
      readonly place: string;
      readonly reason: string;
      /** The permission bits, and whether the place belongs to this user; null where that is unknown. */
      readonly mode: number | null;
      readonly isOwn: boolean | null;
    };

/** Holds as many bytes as a page of the database, because a full disk still accepts an empty file. */
const PAGE = new Uint8Array(4_096);

export function tryWriting(databasePath: string): WriteTest {
  const files = [databasePath, `${databasePath}-wal`, `${databasePath}-shm`];
  const tests = [
    () => inFolder(dirname(databasePath), databasePath),
    ...files.map((file) => () => onFile(file, databasePath)),
  ];
  for (const test of tests) {
    const result = test();
    if (result.kind === "refused") return result;
  }
  return { kind: "writable" };
}

/** Tries to create a file in the folder; if the folder is missing, tries a folder in the nearest one above it. */
function inFolder(folder: string, databasePath: string): WriteTest {
  const name = `.session-runtime-doctor-${process.pid}`;
  let place = folder;
  try {
    for (; look(place) === null; place = dirname(place));
    const probe = join(place, name);
    if (place === folder) {
      try {
        writeFileSync(probe, PAGE, { flag: "wx", mode: 0o600 });
      } finally {
        rmSync(probe, { force: true });
      }
    } else {
      mkdirSync(probe);
      rmdirSync(probe);
    }
    return { kind: "writable" };
  } catch (error) {
    return toRefusedWrite(place, error, databasePath);
  }
}

function onFile(file: string, databasePath: string): WriteTest {
  try {
    if (look(file) !== null) closeSync(openSync(file, "r+"));
    return { kind: "writable" };
  } catch (error) {
    return toRefusedWrite(file, error, databasePath);
  }
}

/** Returns null where nothing exists; throws where a part of the path is a file. */
function look(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

function toRefusedWrite(place: string, error: unknown, databasePath: string): WriteTest {
  const { code } = toStorageError(error, databasePath);
  const reason = systemReason(error) ?? (error instanceof Error ? error.message : String(error));
  return { kind: "refused", code, place, reason, ...readOwnership(place) };
}

function readOwnership(place: string): {
  readonly mode: number | null;
  readonly isOwn: boolean | null;
} {
  try {
    const { mode, uid } = statSync(place);
    return {
      mode: mode & 0o7777,
      isOwn: process.geteuid === undefined || uid === process.geteuid(),
    };
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return { mode: null, isOwn: null };
  }
}
