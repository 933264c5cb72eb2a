// A connection to a SQLite file as it is, of whatever content: makes, checks and migrates nothing.
import type { Driver } from "./driver.ts";
import { withStorageErrors } from "./errors.ts";
import { runtimeDriver, runtimeReader } from "./open-driver.ts";

/** @throws StorageError, as all that is done with it. */
export async function connect(
  path: string,
  access: "read" | "write",
  settings = "PRAGMA busy_timeout = 1000",
): Promise<Driver> {
  const open = await (access === "read" ? runtimeReader() : runtimeDriver());
  const driver = withStorageErrors(open(path), path, () => undefined);
  try {
    driver.exec(settings);
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/** Closes it when the work is over. */
export async function during<T>(
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
