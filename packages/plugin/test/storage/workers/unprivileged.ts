// What a user without write permission gets. Root may write anywhere, so it becomes nobody first.

import { StorageError } from "../../../src/storage/errors.ts";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report } from "../processes.ts";
import { entryCommit, session } from "../records.ts";

const NOBODY = 65534;
if (process.getuid?.() === 0) process.seteuid?.(NOBODY);

const [path = ""] = process.argv.slice(2);
try {
  const { database } = await openRuntimeDatabase({ schema, path });
  report({ loaded: database.ledger.load(session).epochs.length });
  database.ledger.commit(entryCommit(1));
  report("committed");
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  report({ code: error.code, message: error.message });
}
