import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";

/** OpenCode's own database of a home, new and empty; whoever asks for it closes it. */
export function makeHostTables(home: string): Driver {
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const driver = openBunDriver(path);
  driver.exec(`CREATE TABLE session (
      id TEXT, title TEXT, revert TEXT, directory TEXT, project_id TEXT, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)`);
  return driver;
}
