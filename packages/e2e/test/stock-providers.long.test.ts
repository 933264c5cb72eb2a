import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { MODELS } from "../src/host/models.ts";
import { type Bench, openBench } from "../src/open.ts";
import { rejections } from "../src/provider/record.ts";
import {
  breakOff,
  call,
  calls,
  fail,
  held,
  makeGate,
  say,
  trailOff,
} from "../src/provider/reply.ts";
import { prefixBreaks } from "../src/wire.ts";

setDefaultTimeout(600_000);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({});
});
afterAll(() => bench.close());
beforeEach(() => bench.provider.script.reset());

const notes = () => ({ filePath: join(bench.host.project, "notes.txt") });

async function openSession(): Promise<string> {
  return (await bench.host.client.createSession()).id;
}

describe("the stock host speaks to", () => {
  test.each(["anthropic", "chat", "responses", "gemini"] as const)("%s", async (name) => {
    const { host, provider } = bench;
    const id = await openSession();
    const model = MODELS[name];
    provider.script.queueFor(id, call("read", notes()), say("It holds a note."));
    await host.client.prompt(id, "Read the notes", { model });
    await host.client.prompt(id, "Thank you", { model });

    const main = provider.listCalls(id, "main");
    expect(main.map((record) => record.dialect)).toEqual([name, name, name]);
    expect(main[1]?.blocks.some(({ bytes }) => bytes.includes("A first note."))).toBe(true);
    expect(prefixBreaks(main)).toEqual([]);
    expect(rejections(provider.calls)).toEqual([]);
    const reads = main.map(({ outcome }) => ("usage" in outcome ? outcome.usage.readTokens : 0));
    expect(reads[2]).toBeGreaterThan(7_000);
  });

  test("and reports the usage that the mock billed", async () => {
    const id = await openSession();
    const { info } = await bench.host.client.prompt(id, "Hello");
    const outcome = bench.provider.listCalls(id, "main").at(-1)?.outcome;
    if (info.role !== "assistant" || outcome?.type !== "answered") throw new Error("no answer");
    expect(info.tokens.cache.read).toBe(outcome.usage.readTokens);
    expect(info.tokens.cache.write).toBe(outcome.usage.writeTokens);
  });

  test("several tools in one answer", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const read = { name: "read", input: notes() };
    provider.script.queueFor(id, calls(read, read), say("Twice the same."));
    await host.client.prompt(id, "Read it twice");
    expect(provider.listCalls(id, "main")).toHaveLength(2);
    expect(rejections(provider.listCalls(id, "main"))).toEqual([]);
  });
});

describe("failures of a provider", () => {
  test.each([429, 500, 529])("HTTP %d is retried with the same bytes", async (status) => {
    const { host, provider } = bench;
    const id = await openSession();
    provider.script.queueFor(id, fail(status), say("At last."));
    await host.client.prompt(id, "Try hard");
    const [first, second] = provider.listCalls(id, "main");
    expect(first?.outcome).toEqual({ type: "failed", status });
    expect(second?.raw).toEqual(first?.raw as Uint8Array);
  });

  test("a connection torn down is retried with the same bytes", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    provider.script.queueFor(id, breakOff("This will not be heard in full"), say("At last."));
    await host.client.prompt(id, "Tell me");
    const [first, second] = provider.listCalls(id, "main");
    expect(second?.raw).toEqual(first?.raw as Uint8Array);
  });

  test("a stream without a finish is kept as it is, and another step follows", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    provider.script.queueFor(id, trailOff("This will not be heard in full"), say("At last."));
    await host.client.prompt(id, "Tell me");
    const main = provider.listCalls(id, "main");
    expect(main).toHaveLength(2);
    expect(prefixBreaks(main)).toEqual([]);
    expect(main[1]?.blocks.at(-1)?.role).toBe("assistant");
  });

  test("a request that a provider refuses ends the turn with its reason", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    provider.script.queueFor(id, fail(400));
    const { info } = await host.client.prompt(id, "Hello");
    expect(JSON.stringify("error" in info && info.error)).toContain("Scripted failure 400");
  });

  test("an interrupted call is recorded as aborted", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const gate = makeGate();
    provider.script.queueFor(id, held(gate, say("Too late.")));
    const turn = await host.client.promptAsync(id, "Wait");
    const record = await provider.arrival(({ session, kind }) => session === id && kind === "main");
    await host.client.abort(id);
    await turn.settled;
    gate.open();
    expect(["aborted", "pending"]).toContain(record.outcome.type);
    await host.client.waitIdle(id);
  });
});
