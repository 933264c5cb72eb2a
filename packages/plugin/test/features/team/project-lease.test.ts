import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { exampleCode } from "../../../../e2e/test/documents.ts";
import type { LeaseHold } from "../../../src/feature-api/extension-point.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect } from "../../../src/features/team/connection.ts";
import { createLocalCopy } from "../../../src/features/team/local-copy.ts";
import { createProjectLease } from "../../../src/features/team/project-lease.ts";
import { Workspace } from "../../storage/workspace.ts";
import { resolveConfig } from "../../whole-config.ts";
import { formatProposals, shownIn, UpkeepStage } from "../maintenance/stage.ts";
import { added, entered, projectAt, wording } from "../memory/store.suite.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

setDefaultTimeout(600_000);

const workspace = new Workspace();
const shop = projectAt("shop");
const folder = projectAt("folder", null);

const title =
  missingPostgres === null ? "a project's lease" : `a project's lease (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;
  let databases = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 600_000);

  afterAll(async () => {
    await server.remove();
  }, 600_000);

  async function asOwner(database: string, text: string): Promise<void> {
    const address = parseAddress(server.address("owner", database));
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    await link.script(text);
    await link.close();
  }

  async function emptyDatabase(): Promise<string> {
    databases += 1;
    await asOwner("postgres", `CREATE DATABASE team_${databases}`);
    return `team_${databases}`;
  }

  /** A member's machine, with the lease as upkeep has it. */
  async function machine(store: string, memory: object = {}, path = workspace.path()) {
    const database = workspace.open(path);
    const memories = await entered(database.store(createSqliteMemoryStore), shop);
    const copy = database.store(createLocalCopy);
    copy.share(shop.id);
    const value = { memory: { enabled: true, store, ...memory } };
    const { config } = resolveConfig([{ file: "own", scope: "user", value, findLine: () => null }]);
    const problems: string[] = [];
    const lease = createProjectLease("upkeep", {
      ...{ config, env: {}, path, now: Date.now },
      away: (problem) => void problems.push(problem),
    });
    return { memories, copy, lease, problems };
  }

  test("Z15: is one machine's at a time, until it is given back or its time is over", async () => {
    const name = await emptyDatabase();
    const address = server.address("owner", name);
    const [ann, bob] = [await machine(address), await machine(address)];
    expect(await ann.lease.hold(shop.id, "run of ann")).toBe("held");
    expect(await bob.lease.hold(shop.id, "run of bob")).toBe("elsewhere");
    expect(await bob.lease.done(shop.id)).toBe("elsewhere");
    expect(await ann.lease.hold(shop.id, "run of ann")).toBe("held");
    const beforeMs = Date.now();
    await ann.lease.release(shop.id, "run of ann", "verify");
    const done = await bob.lease.done(shop.id);
    if (typeof done === "string") throw new Error(done);
    expect([...done.keys()]).toEqual(["verify"]);
    // The server counts in parts of a millisecond.
    expect(done.get("verify")).toBeWithin(beforeMs - 1, Date.now() + 1);
    expect(await bob.lease.hold(shop.id, "run of bob")).toBe("held");
    // What was another's in the meantime isn't given back for it.
    await ann.lease.release(shop.id, "run of ann", null);
    expect(await ann.lease.hold(shop.id, "run of ann")).toBe("elsewhere");
    await asOwner(name, "UPDATE session_runtime.lease SET until = until - interval '11 minutes'");
    expect(await ann.lease.hold(shop.id, "run of ann")).toBe("held");
    expect([...ann.problems, ...bob.problems]).toEqual([]);
  });

  test("Z15: of many that ask at the same moment one gets it", async () => {
    const address = server.address("owner", await emptyDatabase());
    const machines = await Promise.all(Array.from({ length: 8 }, () => machine(address)));
    const held = await Promise.all(
      machines.map(({ lease }, at) => lease.hold(shop.id, `run ${at}`)),
    );
    expect(held.toSorted()).toEqual([...Array<LeaseHold>(7).fill("elsewhere"), "held"]);
  });

  test("Z15: comes with what its last holder has written", async () => {
    const address = server.address("owner", await emptyDatabase());
    const [ann, bob] = [await machine(address), await machine(address)];
    await ann.lease.hold(shop.id, "a");
    await added(ann.memories, shop, wording("Prices are in cents."));
    await ann.lease.release(shop.id, "a", "verify");
    expect(ann.copy.waiting()).toBe(0);
    await bob.lease.hold(shop.id, "b");
    expect((await bob.memories.list(shop.id)).map(({ text }) => text)).toEqual([
      "Prices are in cents.",
    ]);
  });

  test("Z15: needs no more than a member's rights", async () => {
    const name = await emptyDatabase();
    const owner = await machine(server.address("owner", name));
    await owner.lease.hold(shop.id, "first");
    await owner.lease.release(shop.id, "first", "verify");
    const members = new URL("../../../members.sql", import.meta.url);
    await asOwner(name, readFileSync(members, "utf8"));
    await asOwner(name, exampleCode("Set up the store", "sql"));
    const ann = await machine(server.address("ann", name));
    expect(await ann.lease.hold(shop.id, "a")).toBe("held");
    await ann.lease.release(shop.id, "a", "verify");
    expect(await ann.lease.done(shop.id)).toBeInstanceOf(Map);
    expect(ann.problems).toEqual([]);
  });

  test("a project that isn't shared is this machine's alone, and asks no server", async () => {
    const nowhere = "postgres://ann@127.0.0.1:1/team";
    const own = await machine(nowhere, { shared: false });
    const other = await machine(nowhere);
    expect(await own.lease.hold(shop.id, "a")).toBe("held");
    expect(await other.lease.hold(folder.id, "a")).toBe("held");
    expect(await other.lease.done(folder.id)).toEqual(new Map());
    expect([...own.problems, ...other.problems]).toEqual([]);
  });

  test("Z15: with the server away nobody knows, and why is said without its password", async () => {
    const secret = ["hunter2", "hunter2"].join("");
    const ann = await machine(`postgres://ann:${secret}@127.0.0.1:1/team`);
    expect(await ann.lease.hold(shop.id, "a")).toBe("away");
    expect(await ann.lease.done(shop.id)).toBe("away");
    await ann.lease.release(shop.id, "a", "verify");
    expect(ann.problems).toHaveLength(3);
    expect(ann.problems.join()).toContain("ECONNREFUSED");
    expect(ann.problems.join()).not.toContain(secret);
  });

  test("Z15: two machines' upkeep at the same time: one works, the other asks no model; then it sees the outcome", async () => {
    const address = server.address("owner", await emptyDatabase());
    const stages = [new UpkeepStage(workspace), new UpkeepStage(workspace)] as const;
    const leases = await Promise.all(
      stages.map(async (stage) => (await machine(address, {}, stage.path)).lease),
    );
    for (const [at, stage] of stages.entries()) {
      const lease = leases[at];
      if (lease === undefined) throw new Error("no lease");
      stage.project = shop;
      stage.lease = lease;
    }
    const [ann, bob] = stages;
    await ann.remember("Ticket OPS-1 is half done.", { daysOld: 300 });
    bob.answer = () => formatProposals();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    ann.answer = async (call) => {
      resolve();
      // At work as long as the other one asks.
      await answered;
      return formatProposals(
        ...shownIn(call, "memories").map(({ ref }) => ({ do: "archive", ref, why: "over" })),
      );
    };
    const working = ann.run("archive");
    await asked;
    await bob.run("archive");
    expect(bob.calls).toEqual([]);
    expect(bob.runs().list(shop.id, "/shop", 1)).toMatchObject([{ code: "elsewhere" }]);
    answer();
    await working;
    expect(ann.runs().list(shop.id, "/shop", 1)).toMatchObject([{ code: null }]);
    await bob.run("archive");
    expect((await bob.all()).map(({ state }) => state.kind)).toEqual(["archived"]);
    expect(bob.calls).toEqual([]);
  });
});
