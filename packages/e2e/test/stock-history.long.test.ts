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
import { TIMEZONES } from "../src/host/clock.ts";
import { writeFiles } from "../src/host/home.ts";
import { MODELS } from "../src/host/models.ts";
import { type Bench, openBench } from "../src/open.ts";
import { type CallRecord, rejections } from "../src/provider/record.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { isPrefix, prefixBreaks } from "../src/wire.ts";

setDefaultTimeout(600_000);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({});
});
afterAll(async () => {
  expect(rejections(bench.provider.calls)).toEqual([]);
  await bench.close();
});
beforeEach(() => bench.provider.script.reset());

async function openSession(): Promise<string> {
  return (await bench.host.client.createSession()).id;
}

async function prompts(id: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await bench.host.client.prompt(id, text);
}

function mainCalls(id: string): readonly CallRecord[] {
  return bench.provider.listCalls(id, "main");
}

function userTexts(record: CallRecord | undefined): readonly string[] {
  return (record?.blocks ?? [])
    .filter(({ layer, role }) => layer === "messages" && role === "user")
    .map(({ bytes }) => JSON.parse(bytes).text);
}

async function lastPrompt(id: string): Promise<string> {
  const messages = await bench.host.client.messages(id);
  const last = messages.findLast(({ info }) => info.role === "user");
  if (!last) throw new Error("no prompt yet");
  return last.info.id;
}

describe("history", () => {
  test("a revert takes the prompt back with the next prompt", async () => {
    const { client } = bench.host;
    const id = await openSession();
    await prompts(id, "One", "Two");
    await client.revert(id, await lastPrompt(id));
    await prompts(id, "Three");
    expect(userTexts(mainCalls(id).at(-1))).toEqual(["One", "Three"]);
  });

  test("an unrevert restores it", async () => {
    const { client } = bench.host;
    const id = await openSession();
    await prompts(id, "One", "Two");
    await client.revert(id, await lastPrompt(id));
    await client.unrevert(id);
    await prompts(id, "Three");
    expect(userTexts(mainCalls(id).at(-1))).toEqual(["One", "Two", "Three"]);
    expect(prefixBreaks(mainCalls(id))).toEqual([]);
  });

  test("a fork goes on from the same bytes under its own id", async () => {
    const { client } = bench.host;
    const id = await openSession();
    await prompts(id, "One");
    const fork = await client.fork(id);
    await prompts(fork.id, "Two");
    const [parent] = mainCalls(id);
    const [child] = mainCalls(fork.id);
    if (!parent || !child) throw new Error("a call of each expected");
    expect(isPrefix(parent, child)).toBe(true);
  });

  test("a summarize leaves the summary in place of what was said", async () => {
    const id = await openSession();
    await prompts(id, "One", "Two");
    await bench.host.client.summarize(id, MODELS.anthropic);
    await prompts(id, "Three");
    expect(bench.provider.listCalls(id, "compaction")).toHaveLength(1);
    const sent = JSON.stringify(mainCalls(id).at(-1)?.body);
    expect(sent).toContain("Carry on with the work under test.");
    expect(sent).not.toContain('"One"');
  });

  test("a small model's overflow compacts by itself, and the host goes on", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const lines = Array.from({ length: 900 }, (_, line) => `line ${line} ${"x".repeat(40)}`);
    writeFiles(host.project, { "big.txt": lines.join("\n") });
    const read = call("read", { filePath: join(host.project, "big.txt") });
    provider.script.queueFor(id, read, say("Long."));
    await host.client.prompt(id, "Read all", { model: MODELS.small });
    expect(provider.listCalls(id, "compaction")).toHaveLength(1);
    expect(userTexts(mainCalls(id).at(-1)).at(-1)).toStartWith("Continue if you");
  });

  test("a prompt while the session is busy joins at the next step", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const gate = makeGate();
    const read = call("read", { filePath: join(host.project, "notes.txt") });
    provider.script.queueFor(id, held(gate, read), say("Both."));
    const turn = await host.client.promptAsync(id, "One");
    await provider.arrival(({ session, kind }) => session === id && kind === "main");
    await host.client.promptAsync(id, "Two");
    gate.open();
    await turn.settled;
    expect(JSON.stringify(mainCalls(id)[1]?.body)).toContain("Two");
  });

  test("a child session of the task tool has its own id and calls", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const input = { description: "Look", prompt: "Look around", subagent_type: "general" };
    provider.script.queueFor(id, call("task", input), say("It looked."));
    await host.client.prompt(id, "Send someone");
    const [child] = await host.client.children(id);
    expect(mainCalls(child?.id ?? "")).toHaveLength(1);
    expect(mainCalls(id)).toHaveLength(2);
  });

  test("a deleted session is gone", async () => {
    const { client } = bench.host;
    const id = await openSession();
    await client.deleteSession(id);
    expect(client.session(id)).rejects.toThrow("HTTP 404");
  });
});

describe("the host's life", () => {
  test("a restart alone keeps the bytes", async () => {
    const id = await openSession();
    await prompts(id, "One");
    await bench.host.restart({});
    await prompts(id, "Two");
    expect(prefixBreaks(mainCalls(id))).toEqual([]);
  });

  test("a new day changes the system string", async () => {
    const { host } = bench;
    const id = await openSession();
    await host.restart({ TZ: TIMEZONES.early });
    await prompts(id, "One");
    await host.restart({ TZ: TIMEZONES.late });
    await prompts(id, "Two");
    expect(prefixBreaks(mainCalls(id))[0]).toContain("Today's date");
  });

  test("after kill -9 the prompt survives unanswered, and goes along with the next", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    await prompts(id, "One");
    provider.script.queueFor(id, held(makeGate(), say("Never said.")));
    const arrived = provider.requests.length;
    await host.client.promptAsync(id, "Two");
    await provider.arrival(({ index, kind }) => index >= arrived && kind === "main");
    await host.kill9();
    await host.start({});
    await prompts(id, "Three");
    expect(userTexts(mainCalls(id).at(-1))).toEqual(["One", "Two", "Three"]);
  });
});
