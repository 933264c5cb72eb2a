// Commits until it is killed, and reports each commit once it is acknowledged.
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report } from "../processes.ts";
import { entryCommit, firstCommit, session, turnRecord } from "../records.ts";

const [path = ""] = process.argv.slice(2);
const { database } = await openRuntimeDatabase({ schema, path });
const { epochs, entries } = database.ledger.load(session);
for (let head = epochs.length + entries.length; ; head += 1) {
  database.ledger.commit(head === 0 ? firstCommit() : entryCommit(head));
  report(head + 1);
  database.turns.append(turnRecord(head + 1));
}
