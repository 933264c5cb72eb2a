// Reads the path, size and schema of an open database.

import type { Driver } from "./driver.ts";
import { readSizeOnDisk } from "./files.ts";
import { readSchemaVersion } from "./migrations.ts";

export interface DatabaseHealth {
  readonly path: string;
  /** The file's size in bytes, including what only its WAL holds so far. */
  readonly sizeBytes: number;
  readonly schemaVersion: number;
}

export function readHealth(driver: Driver, path: string): DatabaseHealth {
  return { path, sizeBytes: readSizeOnDisk(path), schemaVersion: readSchemaVersion(driver) };
}
