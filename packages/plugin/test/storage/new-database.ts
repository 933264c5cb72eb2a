// The file of a new database, made once per process: making it takes ten times as long as opening a copy.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { openRuntimeDatabaseWith } from "../../src/storage/open.ts";
import { schema } from "../schema.ts";

let made: Uint8Array | null = null;

/** All bytes of a database of the current schema with nothing in it. */
export function newDatabase(): Uint8Array {
  if (made !== null) return made;
  // The guard of real data allows the temporary folder only.
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-new-"));
  const path = join(folder, "runtime.db");
  openRuntimeDatabaseWith({
    schema,
    path,
    openDriver: openBunDriver,
    nowMs: () => 0,
  }).database.close();
  made = readFileSync(path);
  rmSync(folder, { recursive: true });
  return made;
}
