// Two plugin instances of one process, on a file that is read-only when they open it.
import { DatabaseHandle } from "../../../src/storage/database-handle.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import { isWritable } from "../../../src/storage/files.ts";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report } from "../processes.ts";
import { entryCommit } from "../records.ts";

const NOBODY = 65534;
if (process.getuid?.() === 0) process.setuid?.(NOBODY);

const [path = ""] = process.argv.slice(2);

function instance(): DatabaseHandle {
  return new DatabaseHandle({
    path,
    open: () => openRuntimeDatabase({ schema, path }),
    movedAside: () => undefined,
    isWritable: () => isWritable(path),
    nowMs: () => performance.now(),
  });
}

async function commit(handle: DatabaseHandle): Promise<string> {
  await handle.ensure();
  try {
    return handle.current().ledger.commit(entryCommit(1)).kind;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    handle.onRefused(error);
    return error.code;
  }
}

const instances = [instance(), instance()];
for (const handle of instances) await handle.ensure();
for (const handle of instances) report(await commit(handle));
while (!isWritable(path)) await Bun.sleep(5);
for (const handle of instances) report(await commit(handle));
for (const handle of instances) handle.close();
