// One more connection to a machine's database, as the plugin opens it.
import type { Driver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { withStorageErrors } from "../../../src/storage/errors.ts";

export function openBeside(path: string): Driver {
  const driver = withStorageErrors(openBunDriver(path), path, () => undefined);
  driver.exec("PRAGMA busy_timeout = 2000; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL");
  return driver;
}
