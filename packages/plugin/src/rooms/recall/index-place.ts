// The place of an index's file: what else may stand there, which is never touched.
import { lstatSync, type Stats } from "node:fs";
import type { Notice } from "../../log/notices.ts";
import { StorageError } from "../../storage/store.ts";

export const INDEX_NAMES = ["recall", "commits", "vectors"] as const;
export type IndexName = (typeof INDEX_NAMES)[number];

/** Of a file of derived data: beside the database, and named after it. */
export function pathBeside(databasePath: string, name: IndexName): string {
  return `${databasePath.replace(/\.db$/, "")}.${name}.db`;
}

export function indexPath(databasePath: string): string {
  return pathBeside(databasePath, "recall");
}

/** Unlike the database, an index bears no mark that it is ours: so a link isn't followed either. */
export type Occupant = "a link" | "a folder" | "a pipe" | "a socket" | "a device";

/** Null where there is a file, or nothing. */
export function occupantOf(path: string): Occupant | null {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined || status.isFile() ? null : kindOf(status);
}

function kindOf(status: Stats): Occupant {
  if (status.isSymbolicLink()) return "a link";
  if (status.isDirectory()) return "a folder";
  if (status.isFIFO()) return "a pipe";
  return status.isSocket() ? "a socket" : "a device";
}

/** Whoever only reads: opening a pipe would wait for ever. */
export function hasIndex(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export class PlaceTaken extends StorageError {
  constructor(
    readonly path: string,
    occupant: Occupant,
  ) {
    super("unopenable", `${path} is ${occupant}, and must be a file or not there.`);
    this.name = "PlaceTaken";
  }
}

/** What does not work as long as it stands there. */
export const LOST: Readonly<Record<IndexName, string>> = {
  recall: "what was said and seen in sessions is not found",
  commits: "commits are not found",
  vectors: "texts are found by their words alone, not by what they mean",
};

/** Null for any other error: what can't be read now may be read at the next call. */
export function placeTaken(name: IndexName, error: unknown): Notice | null {
  if (!(error instanceof PlaceTaken)) return null;
  return {
    code: `${name}_place_taken`,
    severity: "warning",
    message: `Session Runtime can't keep its index there: ${error.message} Until then ${LOST[name]}.`,
    remedy: `Move it away: mv ${error.path} ${error.path}.away`,
  };
}
