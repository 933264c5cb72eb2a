// Commits `count` entries to one session against other processes that do the same: what it knows is
// read anew when another connection has written, or when a commit is lost.

import { StorageError } from "../../../src/storage/errors.ts";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report, waitFor } from "../processes.ts";
import { entryCommit, firstCommit, session } from "../records.ts";

const [path = "", gate = "", count = "0", watches = ""] = process.argv.slice(2);
waitFor(gate);
const { database } = await openRuntimeDatabase({ schema, path });

const committed: number[] = [];
let lost = 0;
let noticed = 0;
let locked = 0;
let head = 0;
let version = database.foreignVersion();

function reload(): void {
  version = database.foreignVersion();
  const { epochs, entries } = database.ledger.load(session);
  head = Math.max(0, ...[...epochs, ...entries].map((row) => row.seq));
}

function attempt(): void {
  if (watches === "watches" && database.foreignVersion() !== version) {
    noticed += 1;
    reload();
  }
  const result = database.ledger.commit(head === 0 ? firstCommit() : entryCommit(head));
  if (result.kind === "lost") {
    lost += 1;
    reload();
    return;
  }
  head += 1;
  committed.push(head);
}

reload();
while (committed.length < Number(count)) {
  // A moment between the commits, or SQLite's own waiting lets one process have all its turns first.
  Bun.sleepSync(Math.floor(Math.random() * 5));
  try {
    attempt();
  } catch (error) {
    if (!(error instanceof StorageError && error.code === "locked")) throw error;
    locked += 1;
  }
}
report({ committed, lost, noticed, locked });
database.close();
