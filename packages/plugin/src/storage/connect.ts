// Connects to a SQLite file as it is, with the driver of the current JavaScript runtime.
import type { Driver, OpenDriver } from "./driver.ts";
import { StorageError, withStorageErrors } from "./errors.ts";

// Chooses the SQLite driver for the current JavaScript runtime.

/** Loads the current JavaScript runtime's SQLite. @throws StorageError `unopenable` if there is none. */
export async function loadRuntimeDriver(): Promise<OpenDriver> {
  if (process.versions.bun) return (await import("./driver-bun.ts")).openBunDriver;
  return (await loadNodeDriver()).openNodeDriver;
}

/**
 * Loads the current JavaScript runtime's SQLite for connections that only read.
 * @throws StorageError `unopenable` if there is none.
 */
export async function loadRuntimeReader(): Promise<OpenDriver> {
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

/** Connects to the file. @throws StorageError, as does everything done with the connection. */
export async function connect(
  path: string,
  access: "read" | "write",
  settings = "PRAGMA busy_timeout = 1000",
): Promise<Driver> {
  const open = await (access === "read" ? loadRuntimeReader() : loadRuntimeDriver());
  const driver = withStorageErrors(open(path), path, () => undefined);
  try {
    driver.exec(settings);
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/** Runs the work on a connection, and closes the connection when the work is over. */
export async function withConnection<T>(
  connecting: Promise<Driver>,
  work: (driver: Driver) => T | Promise<T>,
): Promise<T> {
  const driver = await connecting;
  try {
    return await work(driver);
  } finally {
    driver.close();
  }
}
