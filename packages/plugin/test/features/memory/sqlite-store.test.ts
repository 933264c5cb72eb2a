import { expect, test } from "bun:test";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { removeSession } from "../../../src/storage/session-store.ts";
import { timesAsLong } from "../../processor-time.ts";
import { describeOnEachDriver } from "../../storage/drivers.ts";
import { Workspace } from "../../storage/workspace.ts";
import { added, entered, memoryStoreSuite, projectAt, SES, wording } from "./store.suite.ts";

const workspace = new Workspace();
const shop = projectAt("shop");

describeOnEachDriver("memories", (openDriver) => {
  memoryStoreSuite(
    "SQLite",
    () => workspace.open(workspace.path(), openDriver).store(createSqliteMemoryStore),
    25,
  );
});

test("where no member has a name, none is given", async () => {
  const store = await entered(
    workspace.open(workspace.path()).store(createSqliteMemoryStore),
    shop,
  );
  await added(store, shop, wording("a fact"));
  expect(await store.members(shop.id)).toEqual(new Map());
});

test("what another process changes is another version, and read at once", async () => {
  const path = workspace.path();
  const [one, other] = [workspace.open(path), workspace.open(path)];
  const here = await entered(one.store(createSqliteMemoryStore), shop);
  const before = here.version();
  expect(here.version()).toBe(before);
  await added(other.store(createSqliteMemoryStore), shop, wording("a fact"));
  expect(here.version()).not.toBe(before);
  expect(await here.readable(shop.id, 9)).toHaveLength(1);
  const seen = here.version();
  one.close();
  expect(workspace.open(path).store(createSqliteMemoryStore).version()).not.toBe(seen);
});

test("Y1: a deleted session's notes go with it; what it wrote stays with the project, without its name", async () => {
  const path = workspace.path();
  const store = await entered(workspace.open(path).store(createSqliteMemoryStore), shop);
  const memory = await added(store, shop, wording("a fact"));
  await store.addNote({ project: shop.id, sessionId: SES, text: "mine", by: "model" }, 1);
  const driver = openBunDriver(path);
  driver.exec("PRAGMA foreign_keys = ON");
  removeSession(driver, SES);
  expect(driver.all("SELECT id FROM note")).toEqual([]);
  driver.close();
  expect(await store.list(shop.id)).toEqual([{ ...memory, sessionId: null }]);
});

test("5,000 memories: reading what a session begins with takes at most four times as long as with 500", async () => {
  const readFrom = async (count: number) => {
    const store = await entered(
      workspace.open(workspace.path()).store(createSqliteMemoryStore),
      shop,
    );
    const changes = Array.from({ length: count }, (_, n) => ({
      kind: "add" as const,
      wording: wording(`Fact number ${n} of the shop.`, { importance: n % 100 }),
    }));
    await store.apply(shop.id, changes, { by: "import", sessionId: null, segment: null, nowMs: 1 });
    return async () => {
      for (let round = 0; round < 10; round += 1) await store.readable(shop.id, 300);
    };
  };
  // Reading all of them would take ten times as long.
  const mostTimes = 4;
  const times = await timesAsLong(await readFrom(5_000), await readFrom(500), mostTimes);
  expect(times).toBeLessThan(mostTimes);
});
