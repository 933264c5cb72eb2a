// Files that the index has taken over: commits and vectors each had one of their own.
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { hasIndex } from "./place.ts";

/** By what they were called, what stands near their beginning. */
const FORMER = { commits: "CREATE TABLE git_commit (", vectors: "CREATE TABLE vector (" };

/** The first pages of a database and of its log: tables are written there before anything else. */
const HEAD_BYTES = 64 * 1024;

/** A file that only bears such a name may be a user's, and stays. */
export function removeFormer(indexPath: string): void {
  for (const [name, table] of Object.entries(FORMER)) {
    const path = indexPath.replace(/recall\.db$/, `${name}.db`);
    if (path === indexPath) return;
    if (![path, `${path}-wal`].some((file) => hasIndex(file) && holds(file, table))) continue;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

function holds(path: string, text: string): boolean {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    readSync(file, bytes);
    return bytes.includes(text);
  } finally {
    closeSync(file);
  }
}
