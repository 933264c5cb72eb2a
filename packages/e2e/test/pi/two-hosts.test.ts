import { Database } from "bun:sqlite";
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { type Bench, openBench } from "../../src/open.ts";
import { missingPi, openPi, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { buildExtension } from "../../src/pi/scenario.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { makeTalk, OURS } from "../conformance/stage.ts";
import { LONG } from "../long.ts";

// OpenCode and Pi in one project, on one database at once.

setDefaultTimeout(600_000);

/** In each, both hosts are killed once. */
const ROUNDS = LONG ? 100 : 3;
/** Within it each host's tool writes, after its model was asked. */
const WORST_DELAY_MS = 100;
const KILLS_TIMEOUT_MS = LONG ? 3_600_000 : 600_000;

const written = (text: string) =>
  call("ctx_memory", { action: "write", category: "CONSTRAINTS", text });

/** Whether the model has seen the answer that a fact was stored. */
const isAcknowledged = (calls: readonly CallRecord[], text: string) =>
  calls.some(({ blocks }) => {
    const at = blocks.findIndex(
      ({ bytes }) => bytes.includes(text) && bytes.includes("ctx_memory"),
    );
    return at !== -1 && blocks.slice(at + 1).some(({ bytes }) => bytes.includes("Stored as m:"));
  });

describe.skipIf(missingPi !== null)(missingPi ?? "OpenCode and Pi on one database", () => {
  let bench: Bench;
  let pi: PiHome;
  let running: PiProcess;

  beforeAll(async () => {
    const settings = { memory: { enabled: true }, recall: { enabled: true } };
    bench = await openBench({ plugin: [[OURS, settings]] });
    const { project, home } = bench.host;
    pi = await openPi({
      extensions: [buildExtension()],
      project,
      env: { SESSION_RUNTIME_DB: home.database },
    });
    running = pi.start();
  }, 600_000);
  afterAll(async () => {
    await pi.close();
    await bench.close();
  });
  afterEach(() => {
    expect(rejections([...bench.provider.requests, ...pi.provider.requests])).toEqual([]);
  });

  async function talk() {
    const { client } = bench.host;
    return makeTalk(bench, client, (await client.createSession()).id);
  }

  test("a fact learnt in OpenCode is in the first request of Pi's next session, and the other way round", async () => {
    const writer = await talk();
    bench.provider.script.queueFor(writer.id, written("Carts hold 50 items."), say("Stored."));
    await writer.say("Remember it.");
    await running.say("Hello");
    expect(pi.provider.calls[0]?.system).toContain("CONSTRAINTS\n- [m:");
    expect(pi.provider.calls[0]?.system).toContain("Carts hold 50 items.");

    pi.provider.script.queue(written("Prices are whole cents."), say("Stored."));
    await running.say("Remember that, too.");
    const reader = await talk();
    await reader.say("Hello");
    expect(reader.last().system).toContain("Carts hold 50 items.");
    expect(reader.last().system).toContain("Prices are whole cents.");
  });

  test("a fact that one host learns while the other's session runs is announced there once", async () => {
    const listener = await talk();
    await listener.say("Hello");
    pi.provider.script.queue(written("Orders close at noon."), say("Stored."));
    await running.say("Remember this.");
    await listener.say("And now?");
    await listener.say("And then?");
    const sent = JSON.stringify(listener.last().body);
    expect(sent.split("Orders close at noon.").length - 1).toBe(1);
    expect(listener.last().system).not.toContain("Orders close at noon.");
  });

  test(
    `${2 * ROUNDS} kills of both hosts while both write: what was acknowledged is stored once, and nothing is damaged`,
    async () => {
      const facts: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const [theirs, ours] = [`OpenCode's fact ${round}.`, `Pi's fact ${round}.`];
        facts.push(theirs, ours);
        const session = await talk();
        bench.provider.script.queueFor(session.id, written(theirs), say("Stored."));
        pi.provider.script.queue(written(ours), say("Stored."));
        const modelsAsked = [bench.provider, pi.provider].map(({ requests, arrival }) => {
          const before = requests.length;
          return arrival(({ kind, index }) => kind === "main" && index >= before);
        });
        // The answers don't come where their host is killed first.
        void Promise.allSettled([session.say("Go on"), running.say("Go on")]);
        await Promise.all(modelsAsked);
        await Bun.sleep((WORST_DELAY_MS * ((round * 7) % 10)) / 10);
        await Promise.all([bench.host.kill9(), running.kill9()]);
        pi.provider.script.reset();
        bench.provider.script.reset();
        running = pi.start(["--continue"]);
        await bench.host.start({});
      }
      const database = new Database(bench.host.home.database, { readonly: true });
      const check = database.query("PRAGMA integrity_check").all();
      const stored = database.query<{ text: string }, []>("SELECT text FROM memory").all();
      database.close();
      expect(check).toEqual([{ integrity_check: "ok" }]);
      const calls = [...bench.provider.calls, ...pi.provider.calls];
      for (const fact of facts) {
        const count = stored.filter(({ text }) => text === fact).length;
        expect(count).toBeLessThanOrEqual(1);
        if (isAcknowledged(calls, fact)) expect(count).toBe(1);
      }
      await running.say("Still there?");
      expect(pi.provider.calls.at(-1)?.system).toContain("Carts hold 50 items.");
    },
    KILLS_TIMEOUT_MS,
  );
});
