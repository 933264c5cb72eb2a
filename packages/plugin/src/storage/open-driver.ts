// Chooses the SQLite driver for the current JavaScript runtime.
import type { OpenDriver } from "./driver.ts";
import { StorageError } from "./errors.ts";

/**
 * Loads the current JavaScript runtime's SQLite.
 * @throws StorageError `unopenable` where there is none.
 */
export async function runtimeDriver(): Promise<OpenDriver> {
  if (process.versions.bun) return (await import("./driver-bun.ts")).openBunDriver;
  return (await loadNodeDriver()).openNodeDriver;
}

/**
 * Loads the current JavaScript runtime's SQLite for connections that only read.
 * @throws StorageError `unopenable` where there is none.
 */
export async function runtimeReader(): Promise<OpenDriver> {
  if (process.versions.bun) return (await import("./driver-bun.ts")).openBunReader;
  return (await loadNodeDriver()).openNodeReader;
}

async function loadNodeDriver() {
  try {
    return await import("./driver-node.ts");
  } catch (error) {
    throw new StorageError(
      "unopenable",
      `This runtime (${process.title} ${process.version}) has no SQLite: use Node 22.13 or later, or Bun.`,
      { cause: error },
    );
  }
}
