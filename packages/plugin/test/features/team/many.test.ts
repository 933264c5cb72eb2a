import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, type Server } from "../../../src/features/team/connection.ts";
import { createLocalCopy } from "../../../src/features/team/local-copy.ts";
import { syncOnce } from "../../../src/features/team/sync.ts";
import { Workspace } from "../../storage/workspace.ts";
import { entered, projectAt, wording } from "../memory/store.suite.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

const workspace = new Workspace();
const shop = projectAt("shop");
const WORKER = join(import.meta.dir, "workers/member.ts");
const isLong = process.env.LONG === "1";

/** The whole bar under LONG=1, a part of it on every run. */
const BAR = isLong
  ? { machines: 10, processes: 20, memories: 200, kills: 5 }
  : { machines: 2, processes: 4, memories: 30, kills: 2 };
/** How many times as long a write may take with the server away: one that asked for it would take more. */
const MOST_TIMES = 3;
const MEMORIES = isLong ? 10_000 : 1_000;

const title = missingPostgres === null ? "a team at work" : `a team at work (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 600_000);

  afterAll(() => server.remove(), 180_000);

  async function machine() {
    const path = workspace.path();
    const database = workspace.open(path);
    const [store, copy] = [
      database.store(createSqliteMemoryStore),
      database.store(createLocalCopy),
    ];
    await entered(store, shop);
    copy.share(shop.id);
    return { path, store, copy };
  }

  async function connected<Result>(body: (link: Server) => Promise<Result>): Promise<Result> {
    const address = parseAddress(server.address());
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    try {
      return await body(link);
    } finally {
      await link.close();
    }
  }

  const meet = ({ copy }: Awaited<ReturnType<typeof machine>>) =>
    connected((link) =>
      syncOnce({ copy, server: link, pause: async () => undefined, now: Date.now }),
    );

  const onServer = () =>
    connected(async ({ sql }) => {
      const rows = await sql`SELECT body->>'text' AS text FROM session_runtime.item`;
      return rows.map(({ text }) => String(text));
    });

  test(`TM2: ${BAR.processes} processes on ${BAR.machines} machines write ${BAR.memories} memories each while the server is killed ${BAR.kills} times: nothing is lost, nothing doubled`, async () => {
    const machines = await Promise.all(Array.from({ length: BAR.machines }, machine));
    const startedAt = performance.now();
    const members = Array.from({ length: BAR.processes }, (_, n) => {
      const { path } = machines[n % BAR.machines] ?? { path: "" };
      const words = [path, server.address(), `member${n}`, String(BAR.memories)];
      const member = Bun.spawn([process.execPath, WORKER, ...words], {
        env: { ...process.env, BUN_BE_BUN: "1" },
        stdout: "pipe",
        stderr: "pipe",
      });
      return member;
    });
    for (let kill = 0; kill < BAR.kills; kill += 1) {
      await Bun.sleep(isLong ? 4_000 : 700);
      await server.kill();
      await Bun.sleep(300);
      await server.begin();
    }
    const ends = await Promise.all(
      members.map(async (member) => {
        const [said, complaint] = await Promise.all([
          new Response(member.stdout).text(),
          new Response(member.stderr).text(),
        ]);
        return { said, complaint };
      }),
    );
    expect(ends).toEqual(ends.map(() => ({ said: "done\n", complaint: "" })));
    const expected = Array.from({ length: BAR.processes }, (_, n) => n).flatMap((n) =>
      Array.from({ length: BAR.memories }, (_, fact) => `Fact ${fact} of member${n}.`),
    );
    const tookS = (performance.now() - startedAt) / 1_000;
    console.log(
      `${expected.length} memories of ${BAR.processes} processes in ${tookS.toFixed(1)} s, ${BAR.kills} kills`,
    );
    const stored = await onServer();
    expect(stored.toSorted()).toEqual(expected.toSorted());
    for (const one of machines) {
      await meet(one);
      const all = await one.store.list(shop.id);
      expect(all.map(({ text }) => text).toSorted()).toEqual(expected.toSorted());
      expect(all.every(({ state }) => state.kind === "active")).toBe(true);
    }
  }, 600_000);

  test(`${MEMORIES} memories go to the server and to another machine; a write costs the same with the server away`, async () => {
    const [there, here] = [await machine(), await machine()];
    const by = { by: "import", sessionId: null, segment: null, nowMs: 1 } as const;
    const changes = Array.from({ length: MEMORIES }, (_, n) => ({
      kind: "add" as const,
      wording: wording(`Number ${n} of the till.`),
    }));
    await there.store.apply(shop.id, changes, by);
    const times: number[] = [];
    for (const one of [there, here]) {
      const startedAt = performance.now();
      await meet(one);
      times.push((performance.now() - startedAt) / 1_000);
    }
    const count = async ({ store }: typeof here) => (await store.list(shop.id)).length;
    expect(await count(here)).toBe(await count(there));
    const [sentS, takenS] = times.map((time) => time.toFixed(1));
    console.log(`${MEMORIES} memories sent in ${sentS} s, taken in ${takenS} s`);
    const costs: number[] = [];
    for (const state of ["there", "away"]) {
      if (state === "away") await server.kill();
      costs.push(await costOfBoundary(here.store, state));
    }
    const [withIt = 0, without = 0] = costs;
    console.log(
      `a write and a read: ${withIt.toFixed(2)} ms with the server, ${without.toFixed(2)} ms without (p50)`,
    );
    expect(without).toBeLessThan(withIt * MOST_TIMES);
  }, 300_000);
});

/** What a turn's end and the next call ask of memory, in milliseconds of processor time; p50. */
async function costOfBoundary(
  store: ReturnType<typeof createSqliteMemoryStore>,
  state: string,
): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 101; n += 1) {
    const before = process.cpuUsage();
    const change = { kind: "add", wording: wording(`${state} at boundary ${n}`) } as const;
    await store.apply(shop.id, [change], { by: "model", sessionId: null, segment: null, nowMs: n });
    store.version();
    await store.readable(shop.id, 100);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return times.toSorted((one, other) => one - other)[50] ?? 0;
}
