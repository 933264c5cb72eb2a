// Reads the path, size and schema of an open database.
import type { Driver } from "./driver.ts";
import { sizeBytes } from "./files.ts";
import { schemaVersion } from "./migrations.ts";
import type { DatabaseHealth } from "./store.ts";

export function readHealth(driver: Driver, path: string): DatabaseHealth {
  return { path, sizeBytes: sizeBytes(path), schemaVersion: schemaVersion(driver) };
}
