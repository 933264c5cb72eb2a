// Checks what is at the index's path, so that nothing foreign there is touched.
import { lstatSync, type Stats } from "node:fs";
import { type Notice, renderInstalledCommand } from "../log/notices.ts";
import { StorageError } from "../storage/errors.ts";

/** Returns the path of the index, beside the database and named after it. */
export function toIndexPath(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, "")}.recall.db`;
}

/**
 * Lists what may block the path. Unlike the database, an index bears no mark that it is ours, so a link isn't
 * followed either.
 */
export type PathObstacle = "a link" | "a folder" | "a pipe" | "a socket" | "a device";

/** Returns what blocks the path; null if a file, or nothing, is there. */
export function findOccupant(path: string): PathObstacle | null {
  const status = readFileStatus(path);
  return status === null || status.isFile() ? null : classifyOccupant(status);
}

/**
 * Reads the status of what is at the path; null if nothing is there, or if nothing can be, because a part of
 * the path is a file.
 */
function readFileStatus(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const isFileOnTheWay = error instanceof Error && "code" in error && error.code === "ENOTDIR";
    if (!isFileOnTheWay) throw error;
    return null;
  }
}

function classifyOccupant(status: Stats): PathObstacle {
  if (status.isSymbolicLink()) return "a link";
  if (status.isDirectory()) return "a folder";
  if (status.isFIFO()) return "a pipe";
  return status.isSocket() ? "a socket" : "a device";
}

/**
 * Says whether there is an index file. Commands that only read ask first, because opening a pipe would wait
 * for ever.
 */
export function hasIndex(path: string): boolean {
  return readFileStatus(path)?.isFile() === true;
}

export class IndexPathBlockedError extends StorageError {
  constructor(
    readonly path: string,
    occupant: PathObstacle,
  ) {
    super("unopenable", `${path} is ${occupant}, and must be a file or not there.`);
    this.name = "PlaceTaken";
  }
}

/** Says what does not work while something blocks the path. */
export const BLOCKED_INDEX_EFFECT =
  "sessions and commits can't be searched, by words or by meaning";

// Notices about the index's file for the user.

export const indexRecreatedNotice: Notice = {
  code: "recall_index_begun_again",
  severity: "info",
  message:
    "Session Runtime's search index was damaged or from another version, and has been emptied. Sessions are indexed again when they are opened.",
  remedy: `\`${renderInstalledCommand("index")}\` indexes all of them now.`,
};

export const INDEX_PATH_BLOCKED_CODE = "recall_place_taken";

export function createIndexPathBlockedNotice({ message, path }: IndexPathBlockedError): Notice {
  return {
    code: INDEX_PATH_BLOCKED_CODE,
    severity: "warning",
    ends: "by over",
    message: `Session Runtime can't store its search index: ${message} Until this is fixed, ${BLOCKED_INDEX_EFFECT}.`,
    remedy: `Move it away: mv ${path} ${path}.away`,
  };
}
