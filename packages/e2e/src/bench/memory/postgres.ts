// A team's PostgreSQL on this machine: memories sent to it and taken from it, and one more on its way.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "@session-runtime/opencode/features/memory/sqlite-store";
import { parseAddress } from "@session-runtime/opencode/features/memory/store-address";
import { connect } from "@session-runtime/opencode/features/team/connection";
import { createLocalCopy } from "@session-runtime/opencode/features/team/local-copy";
import { syncOnce } from "@session-runtime/opencode/features/team/sync";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import {
  missingPostgres,
  PostgresServer,
} from "../../../../plugin/test/features/team/postgres-server.ts";
import { median, ms } from "../figures.ts";
import { schema } from "../schema.ts";
import { PROJECT, writeMemories } from "./memories.ts";

const ROUNDS = 30;

/** By the clock, as a server works beside us. */
interface TeamTimes {
  readonly memories: number;
  readonly sendMs: number;
  readonly takeMs: number;
  /** Of one more memory each, from one machine to the other. */
  readonly nextMs: readonly number[];
}

/** Null where this machine has no PostgreSQL. */
export async function measurePostgres(memories: number): Promise<TeamTimes | null> {
  if (missingPostgres !== null) return null;
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const server = await PostgresServer.start();
  try {
    const [one, other] = [
      await machine(server, folder, "one"),
      await machine(server, folder, "other"),
    ];
    await writeMemories(one.store, 0, memories);
    const [sendMs, takeMs] = [await timed(one.sync), await timed(other.sync)];
    const nextMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await writeMemories(one.store, memories + round, 1);
      nextMs.push((await timed(one.sync)) + (await timed(other.sync)));
    }
    const held = (await other.store.list(PROJECT.id)).length;
    if (held !== memories + ROUNDS) throw new Error(`${held} memories have come`);
    for (const { close } of [one, other]) await close();
    return { memories, sendMs, takeMs, nextMs };
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Machine {
  readonly store: MemoryStore;
  readonly sync: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function machine(server: PostgresServer, folder: string, name: string): Promise<Machine> {
  const { database } = await openRuntimeDatabase({ schema, path: join(folder, `${name}.db`) });
  const [store, copy] = [database.store(createSqliteMemoryStore), database.store(createLocalCopy)];
  copy.name(name);
  await store.enter(PROJECT, 1);
  copy.share(PROJECT.id);
  const address = parseAddress(server.address());
  if (typeof address === "string") throw new Error(address);
  const link = await connect(address);
  const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 0));
  return {
    store,
    sync: () => syncOnce({ copy, server: link, pause, now: Date.now }),
    async close() {
      await link.close();
      database.close();
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** For the page. */
export function postgresLine(times: TeamTimes | null): string {
  if (times === null) return `- A team's PostgreSQL: not measured here (${missingPostgres}).`;
  const { memories, sendMs, takeMs, nextMs } = times;
  const seconds = (value: number) => `${(value / 1_000).toFixed(1)} s`;
  return `- ${memories.toLocaleString("en-US")} memories go to a team's PostgreSQL on this machine in ${seconds(sendMs)}, and from there to another machine's copy in ${seconds(takeMs)}; one more takes ${ms(median(nextMs))} from copy to copy (p50 of ${nextMs.length}). No session waits for it.`;
}
