import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { parseAddress } from "@session-runtime/opencode/features/memory/store-address";
import { connect } from "@session-runtime/opencode/features/team/connection";
import { eventually } from "../../plugin/test/eventually.ts";
import {
  missingPostgres,
  PostgresServer,
} from "../../plugin/test/features/team/postgres-server.ts";
import { type Bench, openBench } from "../src/open.ts";
import { rejections } from "../src/provider/record.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { count, history, makeTalk, OURS, one, type Talk } from "./conformance/stage.ts";
import { run } from "./inbox-stage.ts";

// Two homes with a host each, as two machines have them, and one PostgreSQL for their memories.
setDefaultTimeout(600_000);

const title =
  missingPostgres === null
    ? "two machines of a team, on real hosts"
    : `two machines of a team (${missingPostgres})`;

type Connection = Awaited<ReturnType<typeof connect>>;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;
  let machines: readonly Bench[] = [];

  const ann = () => one(machines[0]);
  const bob = () => one(machines[1]);

  beforeAll(async () => {
    server = await PostgresServer.start();
    // Who writes is known by the role that logs in.
    await asOwner(({ script }) =>
      script("CREATE ROLE ann LOGIN SUPERUSER; CREATE ROLE bob LOGIN SUPERUSER"),
    );
    const quiet = {
      ...{ historian: { enabled: false }, recall: { enabled: false } },
      ...{ jobs: { model: "anthropic/claude-second" }, upkeep: { tasks: { archive: {} } } },
    };
    const memory = { enabled: true, store: server.address("ann") };
    machines = await Promise.all([
      openBench({ plugin: [[OURS, { ...quiet, memory }]] }),
      openBench({
        plugin: [[OURS, { ...quiet, memory: { enabled: true } }]],
        env: { SESSION_RUNTIME_MEMORY_STORE: server.address("bob") },
      }),
    ]);
  });
  afterAll(async () => {
    await Promise.all(machines.map(({ close }) => close()));
    await server.remove();
  });
  // I19 holds for every request of every test.
  afterEach(() => {
    for (const { provider } of machines) expect(rejections(provider.requests)).toEqual([]);
  });

  async function talk(bench: Bench): Promise<Talk> {
    const { client } = bench.host;
    return makeTalk(bench, client, (await client.createSession()).id);
  }

  async function write(bench: Bench, { id, say: prompt, last }: Talk, text: string): Promise<void> {
    const input = { action: "write", category: "CONSTRAINTS", text };
    bench.provider.script.queueFor(id, call("ctx_memory", input), say("Thanks."));
    await prompt("Go on");
    const texts = history(last()).map((said) => said.text);
    expect(texts.findLast((said) => said.startsWith("Stored as m:"))).toBeDefined();
  }

  /** Whether each text is in the first request of a new session, once. */
  async function begins(bench: Bench, texts: readonly string[]): Promise<boolean> {
    const session = await talk(bench);
    await session.say("Hello");
    return texts.every((text) => count(session.last(), text) === 1);
  }

  async function asOwner<T>(work: (link: Connection) => Promise<T>): Promise<T> {
    const address = parseAddress(server.address());
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    try {
      return await work(link);
    } finally {
      await link.close();
    }
  }

  /** The words of all memories on the server, with who wrote them. */
  function stored(): Promise<readonly string[]> {
    return asOwner(async ({ sql }) => {
      const rows = await sql`
        SELECT body->>'text' AS text, member FROM session_runtime.item ORDER BY 1`;
      return rows.map(({ text, member }) => `${member}: ${text}`);
    });
  }

  /** The least of several, since a machine that others use too makes single turns slow. */
  async function leastTurnMs(session: Talk): Promise<number> {
    const took: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const began = performance.now();
      await session.say("And on");
      took.push(performance.now() - began);
    }
    return Math.min(...took);
  }

  test("TM1: what one writes with ctx_memory is in the first request of the other's next session", async () => {
    await (await talk(bob())).say("Hello");
    await write(ann(), await talk(ann()), "Prices are in cents.");
    await eventually("the memory arrives", () => begins(bob(), ["Prices are in cents."]));
    expect(await stored()).toEqual(["ann: Prices are in cents."]);
  });

  test("Z15: of two machines that are asked for upkeep one works, and the other asks no model", async () => {
    const [anns, bobs] = [await talk(ann()), await talk(bob())];
    await write(ann(), anns, "The exporter is in legacy/dump.ts.");
    const gate = makeGate();
    const nothing = say(JSON.stringify({ proposals: [] }));
    ann().provider.script.respond("job", () => held(gate, nothing));
    bob().provider.script.respond("job", () => nothing);
    const upkeep = ({ client, id }: Talk, args: string) => run(client, id, "ctx-upkeep", args);
    const asked = ({ provider }: Bench) => provider.requests.filter(({ kind }) => kind === "job");
    expect(await upkeep(anns, "run archive")).toContain("Run 1: archive.");
    await eventually("the first asks its model", () => asked(ann()).length === 1);
    expect(await upkeep(bobs, "run archive")).toContain("Run 1: archive.");
    const isElsewhere = async () =>
      (await upkeep(bobs, "list")).includes("another machine of the team is running it");
    await eventually("the second has ended", isElsewhere);
    expect(asked(bob())).toEqual([]);
    gate.open();
    const isDone = async (session: Talk) =>
      (await upkeep(session, "list")).includes("archive, done");
    await eventually("the first has ended", () => isDone(anns));
    await upkeep(bobs, "run archive");
    await eventually("the second has ended, too", () => isDone(bobs));
    expect(asked(bob())).toHaveLength(1);
  });

  test("TM2: a server that hangs and dies costs a turn nothing; what both write meanwhile is there once, for both", async () => {
    const [anns, bobs] = [await talk(ann()), await talk(bob())];
    await anns.say("Hello");
    const thereMs = await leastTurnMs(anns);
    server.hang();
    await write(ann(), anns, "Refunds are negative prices.");
    await write(bob(), bobs, "The cart holds 80 items.");
    // The same words on both machines are one memory.
    await write(ann(), anns, "Use pnpm.");
    await write(bob(), bobs, "Use pnpm.");
    // It hangs for connections that were open before, too.
    expect(history(bobs.last()).some(({ text }) => text.includes("negative"))).toBe(false);
    // Whoever waited for it would wait for seconds, each time.
    const mostMs = thereMs * 4;
    let awayMs = await leastTurnMs(anns);
    for (let more = 0; more < 3 && awayMs >= mostMs; more += 1) {
      awayMs = Math.min(awayMs, await leastTurnMs(anns));
    }
    console.log(
      `a turn: ${thereMs.toFixed(0)} ms with the server, ${awayMs.toFixed(0)} ms without`,
    );
    expect(awayMs).toBeLessThan(mostMs);
    await server.kill();
    expect(await begins(ann(), ["Refunds are negative prices.", "Use pnpm."])).toBe(true);
    await server.begin();
    const texts = [
      "ann: Prices are in cents.",
      "ann: Refunds are negative prices.",
      "ann: The exporter is in legacy/dump.ts.",
      "bob: The cart holds 80 items.",
    ];
    const all = [
      "Prices are in cents.",
      "Refunds are negative prices.",
      "The cart holds 80 items.",
      "Use pnpm.",
    ];
    const arrived = async () =>
      (await begins(ann(), all)) &&
      (await begins(bob(), all)) &&
      (await stored()).length > texts.length;
    await eventually("everything is everywhere", arrived);
    expect((await stored()).filter((text) => !text.endsWith("Use pnpm.")).toSorted()).toEqual(
      texts,
    );
  });
});
