// A connection of its own to the database: what it writes is another process's change to those who read.
import type { Driver } from "../storage/driver.ts";
import { withStorageErrors } from "../storage/errors.ts";
import { runtimeDriver } from "../storage/open-driver.ts";

/** Nobody waits for it: it may wait for whoever writes. */
const BUSY_TIMEOUT_MS = 100;

/** To a database that is open, and so of this schema. */
export async function openBeside(path: string): Promise<Driver> {
  const open = await runtimeDriver();
  const driver = withStorageErrors(open(path), path, () => undefined);
  driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA foreign_keys = ON`);
  driver.exec("PRAGMA synchronous = NORMAL");
  return driver;
}
