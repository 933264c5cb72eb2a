import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DrivenSession } from "../../plugin/test/host/driver.ts";
import { usePlace } from "../../plugin/test/host/use-place.ts";
import { pi } from "./pi-driver.ts";

const used = usePlace();

async function parent(): Promise<DrivenSession> {
  const session = used.kept(await pi.open(used.place));
  session.say({ by: "user", text: "Begin." });
  await session.call();
  session.say({ by: "model", blocks: [{ type: "text", text: "Begun." }] });
  return session;
}

test("a fork whose parent's ledger is damaged begins on its own, and its user hears of it once", async () => {
  const session = await parent();
  const damage = new Database(used.place.database);
  damage.run("DROP TRIGGER epoch_is_never_updated");
  damage.run('UPDATE epoch SET snapshot = \'{"no": "key"}\'');
  damage.close();
  const fork = used.kept(await session.fork());
  for (const text of ["Another way.", "And further."]) {
    fork.say({ by: "user", text });
    expect((await fork.call()).system).toContain("Use tabs.");
  }
  expect(fork.notices).toHaveLength(1);
  expect(fork.notices[0]).toContain("the fork begins without it");
});

test("a fork inherits its parent's ledger at the first call that finds the database", async () => {
  const folder = join(used.place.root, "store");
  process.env.SESSION_RUNTIME_DB = join(folder, "runtime.db");
  const session = await parent();
  const first = await session.call();
  used.place.write("AGENTS.md", "Use spaces.");
  await session.close();
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, "in the way");
  const fork = used.kept(await session.fork());
  await fork.call();
  expect(fork.notices).toHaveLength(1);
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  fork.say({ by: "user", text: "Another way." });
  expect((await fork.call()).system).toBe(first.system);
  expect(fork.notices).toHaveLength(1);
});
