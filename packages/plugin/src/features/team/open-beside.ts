// A connection of its own to the database: what it writes is another process's change to those who read.
import { connect } from "../../storage/connect.ts";
import type { Driver } from "../../storage/driver.ts";

/** Writers keep this connection waiting only briefly, as nobody waits for it. */
const SETTINGS = "PRAGMA busy_timeout = 100; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL";

/** Opens a second connection to a database that is open, and so has this schema. */
export function openBeside(path: string): Promise<Driver> {
  return connect(path, "write", SETTINGS);
}
