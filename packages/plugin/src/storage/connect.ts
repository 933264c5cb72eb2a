// Connects to a SQLite file as it is, whatever its content, and creates, checks and migrates nothing.
import type { Driver } from "./driver.ts";
import { withStorageErrors } from "./errors.ts";
import { runtimeDriver, runtimeReader } from "./open-driver.ts";

/** Connects to the file. @throws StorageError, as does everything done with the connection. */
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

/** Closes the connection when the work is over. */
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
