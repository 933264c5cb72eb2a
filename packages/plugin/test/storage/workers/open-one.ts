// Opens one database at the same moment as other processes do, until it opens.
import { StorageError } from "../../../src/storage/errors.ts";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report, waitFor } from "../processes.ts";

const [path = "", gate = ""] = process.argv.slice(2);
waitFor(gate);
for (;;) {
  try {
    const { database, movedAside } = await openRuntimeDatabase({ schema, path });
    report({ version: database.health().schemaVersion, moved: movedAside?.aside ?? null });
    database.close();
    break;
  } catch (error) {
    // As the plugin does, it tries again while another process holds the lock.
    if (!(error instanceof StorageError) || error.code !== "locked") throw error;
  }
}
