import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { z } from "zod";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { schema } from "../schema.ts";
import { openGate, reportsIn, spawnWorker } from "./processes.ts";
import { session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const TIMEOUT_MS = 180_000;

const commitReport = z.object({
  committed: z.array(z.number()),
  lost: z.number(),
  noticed: z.number(),
  locked: z.number(),
});

/** Runs workers that start at the same moment; what each has reported. */
async function together(path: string, workers: readonly (readonly [string, ...string[]])[]) {
  const gate = join(dirname(path), "gate");
  const running = workers.map(([script, ...args]) => spawnWorker(script, path, gate, ...args));
  await openGate(gate, workers.length);
  const outputs = await Promise.all(running.map((worker) => new Response(worker.stdout).text()));
  const codes = await Promise.all(running.map((worker) => worker.exited));
  expect(codes).toEqual(codes.map(() => 0));
  return outputs.map((output) => reportsIn(output)[0]);
}

test(
  "K2: two processes on one session commit every rank once, none twice, none left out",
  async () => {
    const path = workspace.path();
    const outputs = await together(path, [
      ["commit.ts", "200", "watches"],
      ["commit.ts", "200", "blind"],
    ]);
    const [watching, blind] = outputs.map((output) => commitReport.parse(output));
    const committed = [...(watching?.committed ?? []), ...(blind?.committed ?? [])];
    const ranks = Array.from({ length: 400 }, (_, index) => index + 1);
    expect(committed.toSorted((left, right) => left - right)).toEqual(ranks);
    const { epochs, entries } = workspace.open(path).ledger.load(session);
    expect([...epochs, ...entries].map((row) => row.seq)).toEqual(ranks);
    expect(watching?.noticed).toBeGreaterThan(0);
    expect(blind?.lost).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

test(
  "K2, K4: processes that open a database at the moment it is begun all get it, migrated once",
  async () => {
    const outputs = await together(workspace.path(), Array(3).fill(["open.ts", "50"]));
    expect(outputs).toEqual(Array(3).fill(Array(50).fill(schema.version)));
  },
  TIMEOUT_MS,
);

test(
  "K1: kill -9 at ten random moments of writing: the file is sound and each acknowledged commit there",
  async () => {
    const path = workspace.path();
    let acknowledged = 0;
    // On a machine that others have taken a worker may not even have begun by then: it gets longer.
    for (let round = 0; round < 10 || acknowledged <= 10; round += 1) {
      const worker = spawnWorker("endless.ts", path);
      await Bun.sleep((150 + Math.random() * 150) * (1 + Math.floor(round / 10)));
      worker.kill("SIGKILL");
      const reports = reportsIn(await new Response(worker.stdout).text());
      await worker.exited;
      acknowledged = Math.max(acknowledged, ...z.array(z.number()).parse(reports));
      expectSound(path);
      const { epochs, entries } = workspace.open(path).ledger.load(session);
      expect(epochs.length + entries.length).toBeGreaterThanOrEqual(acknowledged);
      expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 2));
    }
    expect(acknowledged).toBeGreaterThan(10);
  },
  TIMEOUT_MS,
);

function expectSound(path: string): void {
  const driver = openBunDriver(path);
  expect(driver.get("PRAGMA integrity_check")?.integrity_check).toBe("ok");
  expect(driver.all("PRAGMA foreign_key_check")).toEqual([]);
  driver.close();
}
