// A process of a member's: writes memories, and keeps its machine's copy in step, until nothing waits.
// Arguments: database, server's address, member, how many memories.
import { createSqliteMemoryStore } from "../../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../../src/features/memory/store-address.ts";
import { connect } from "../../../../src/features/team/connection.ts";
import { createLocalCopy } from "../../../../src/features/team/local-copy.ts";
import { TeamSyncer } from "../../../../src/features/team/syncer.ts";
import { StorageError } from "../../../../src/storage/errors.ts";
import { projectAt, wording } from "../../memory/store.suite.ts";
import { openBeside } from "../open-beside.ts";

const [path = "", server = "", member = "", count = "0"] = process.argv.slice(2);
const address = parseAddress(server);
if (typeof address === "string") throw new Error("no address");

const project = projectAt("shop");
const store = createSqliteMemoryStore(openBeside(path));
const copy = createLocalCopy(openBeside(path));
const by = { by: "model", sessionId: null, segment: null } as const;
const silent = () => undefined;
const syncer = new TeamSyncer({
  copy: async () => copy,
  connect: () => connect(address),
  log: { debug: silent, info: silent, warn: silent, error: silent },
  notices: { notice: silent, mention: silent, over: silent, all: () => [] },
  now: Date.now,
  later(body, ms) {
    const timer = setTimeout(body, ms / 4);
    return () => clearTimeout(timer);
  },
});

/** As a session does it that finds the database busy: again, a moment later. */
async function patiently(work: () => unknown): Promise<void> {
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "locked") throw error;
      await Bun.sleep(20);
    }
  }
}

for (let n = 0; n < Number(count); n += 1) {
  const change = { kind: "add", wording: wording(`Fact ${n} of ${member}.`) } as const;
  await patiently(() => store.apply(project.id, [change], { ...by, nowMs: Date.now() }));
  syncer.wake();
  await Bun.sleep(5);
}
while (copy.waiting() > 0) {
  syncer.wake();
  await Bun.sleep(50);
}
syncer.close();
console.log("done");
process.exit(0);
