import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../src/host/home.ts";
import { type Host, STOCK, startHost } from "../src/host/host.ts";
import { MODELS, type ModelRef, providerConfig } from "../src/host/models.ts";
import { isObject, type JsonObject } from "../src/json.ts";
import { type CallRecord, rejections } from "../src/provider/record.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { type MockProvider, startProvider } from "../src/provider/server.ts";
import {
  AGENTS_MD,
  expectSteady,
  history,
  makeTalk,
  OURS,
  one,
  type Talk,
  updates,
} from "./conformance/stage.ts";
import { ctxStatus, reports } from "./ctx-status-stage.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

const FILES = { "AGENTS.md": AGENTS_MD, "notes.txt": "A first note.\n" };
const OPUS: ModelRef = { providerID: "anthropic", modelID: "claude-opus-5" };
const SONNET: ModelRef = { providerID: "anthropic", modelID: "claude-sonnet-5" };
const ELDER: ModelRef = { providerID: "anthropic", modelID: "claude-opus-4-5" };

let provider: MockProvider;
let host: Host;

/** The mock provider's models, with some that are named as Anthropic's are. */
function withClaudes(url: string): JsonObject {
  const known = providerConfig(url);
  const { anthropic } = known;
  if (!isObject(anthropic) || !isObject(anthropic.models)) throw new Error("no Anthropic");
  const model = anthropic.models[MODELS.anthropic.modelID] ?? {};
  const models = {
    ...anthropic.models,
    [OPUS.modelID]: model,
    [ELDER.modelID]: model,
    [SONNET.modelID]: model,
  };
  return { ...known, anthropic: { ...anthropic, models } };
}

beforeAll(async () => {
  provider = await startProvider();
  host = await startHost({
    ...STOCK,
    providerUrl: provider.url,
    files: FILES,
    plugin: [[OURS, { lowering: "native" }]],
    config: { provider: withClaudes(provider.url) },
  });
});

afterAll(async () => {
  await host.stop();
  await provider.stop();
});

let before = 0;
beforeEach(() => {
  before = provider.requests.length;
  provider.script.reset();
  provider.script.instructions = "by-rule";
  writeFiles(host.project, FILES);
});

const refused = () => rejections(provider.requests.slice(before));

/** Every request that a test does not mean to be refused is valid. */
let expectedRefusals = 0;
afterEach(() => {
  expect(refused()).toHaveLength(expectedRefusals);
  expectedRefusals = 0;
});

async function talk(): Promise<Talk> {
  const { id } = await host.client.createSession();
  const bench = { host, provider, close: () => Promise.resolve() };
  return makeTalk(bench, host.client, id);
}

const answered = ({ main }: Talk) => main().filter(({ outcome }) => outcome.type === "answered");

/** Updates that stand as messages of an instruction role. */
function natives(sent: CallRecord): readonly string[] {
  return history(sent).flatMap(({ role, text }) =>
    role === "system" || role === "developer" ? [text] : [],
  );
}

/** The rules that a call's updates tell, by the form in which they stand. */
function rules(sent: CallRecord) {
  const told = (texts: readonly string[]) => texts.flatMap((text) => /Be \w+/.exec(text) ?? []);
  return { native: told(natives(sent)), text: told(updates(sent)) };
}

const kind = (rule: string) => ({ "AGENTS.md": `${rule}\n` });

describe("M6: native lowering, Anthropic", () => {
  test("M6: an update follows the user's turn in its own role, and keeps its form for ever", async () => {
    const session = await talk();
    await session.say("One", { model: OPUS });
    session.edit(kind("Be kind."));
    const path = join(host.project, "AGENTS.md");
    const write = { command: `echo 'Be loud.' > ${path}`, description: "x" };
    provider.script.queueFor(session.id, call("bash", write), say("Written."));
    await session.say("Two", { model: OPUS });
    expect(natives(session.last())).toHaveLength(2);
    await session.say("Three", { model: OPUS });
    session.edit(kind("Be bold."));
    await session.say("Four", { model: OPUS });
    await host.restart({});
    await session.say("Five", { model: OPUS });
    expectSteady(session.main());
    expect(updates(session.last())).toEqual([]);
    const [kindly, loudly, boldly] = natives(session.last());
    expect([kindly, loudly, boldly].map((text) => /Be \w+/.exec(text ?? "")?.[0])).toEqual([
      "Be kind",
      "Be loud",
      "Be bold",
    ]);
    expect(kindly).not.toContain("system-update");
  });

  test("M6: I4: an undo takes a native update along, and a compaction starts without", async () => {
    const session = await talk();
    await session.say("One", { model: OPUS });
    session.edit(kind("Be kind."));
    await session.say("Two", { model: OPUS });
    await session.undo();
    await session.say("Otherwise", { model: OPUS });
    expect(natives(session.last())).toHaveLength(1);
    await session.client.summarize(session.id, OPUS);
    await session.say("Go on", { model: OPUS });
    expect(natives(session.last())).toEqual([]);
    expect(updates(session.last())).toEqual([]);
  });

  longTest(
    "M6: an elder model is sent text, and a switch there and back keeps each its form",
    async () => {
      const session = await talk();
      await session.say("One", { model: OPUS });
      await session.say("One to the elder", { model: ELDER });
      session.edit(kind("Be kind."));
      await session.say("Two", { model: OPUS });
      await session.say("Two to the elder", { model: ELDER });
      expect(rules(session.last())).toEqual({ native: [], text: ["Be kind"] });
      session.edit(kind("Be bold."));
      await session.say("Three to the elder", { model: ELDER });
      await session.say("Three", { model: OPUS });
      // The second came up in another model's time: to this one it was never sent but as text.
      expect(rules(session.last())).toEqual({ native: ["Be kind"], text: ["Be bold"] });
      for (const model of [OPUS, ELDER]) {
        expectSteady(session.main().filter((sent) => sent.model === model.modelID));
      }
    },
  );

  test("M6: a refused form falls back to text within the call, and stays so", async () => {
    const session = await talk();
    await session.say("One", { model: OPUS });
    provider.script.instructions = "leading";
    session.edit(kind("Be kind."));
    const reply = await session.say("Two", { model: OPUS });
    expect(JSON.stringify(reply.parts)).toContain("Done.");
    provider.script.instructions = "by-rule";
    await host.restart({});
    session.edit(kind("Be bold."));
    await session.say("Three", { model: OPUS });
    expect(updates(session.last())).toHaveLength(2);
    expect(natives(session.last())).toEqual([]);
    expectSteady(answered(session));
    expectedRefusals = 1;
    expect(refused()[0]).toContain("system");
  });
});

describe("M6: native lowering, a place that became illegal", () => {
  /** Another model than the one that has been refused before. */
  const model: ModelRef = MODELS.responses;

  test("M6: a user's message after an unanswered one makes the update text again, for ever", async () => {
    const session = await talk();
    await session.say("One", { model: SONNET });
    session.edit(kind("Be kind."));
    const gate = makeGate();
    provider.script.queueFor(session.id, held(gate, say("Never heard.")));
    const arrival = provider.arrival(
      ({ session: id, kind: of, index }) =>
        id === session.id && of === "main" && index > before + 1,
    );
    const asked = session.say("Two", { model: SONNET });
    expect(natives(await arrival)).toHaveLength(1);
    await session.client.abort(session.id);
    await asked.catch(() => undefined);
    gate.open();
    await session.say("Three", { model: SONNET });
    expect(rules(session.last())).toEqual({ native: [], text: ["Be kind"] });
    await host.restart({});
    session.edit(kind("Be bold."));
    await session.say("Four", { model: SONNET });
    expect(rules(session.last())).toEqual({ native: ["Be bold"], text: ["Be kind"] });
    const [first, second, ...later] = session.main();
    expectSteady([one(first), one(second)]);
    expectSteady([one(first), ...later]);
    await ctxStatus(session.client, session.id);
    const [report] = reports(await session.client.messages(session.id));
    const said = one(report).text.replace(/\s+/g, " ");
    expect(said).toContain(
      "to anthropic/claude-sonnet-5 1 in the provider's own role, 1 as text after all",
    );
    expect(said).toContain(
      "an update went back to text: after a later message, the provider no longer accepts",
    );
  });

  // What is stored of a form is the same for both: one restart shows that it is read.
  test.each([
    ["responses", MODELS.responses, "restarts"],
    ["chat", MODELS.chat, "goes on"],
  ] as const)(
    "M6: %s takes updates in the role of its own instructions, anywhere",
    async (_name, to, pause) => {
      const session = await talk();
      await session.say("One", { model: to });
      session.edit(kind("Be kind."));
      const read = { filePath: join(host.project, "notes.txt") };
      provider.script.queueFor(session.id, call("read", read), say("A note."));
      await session.say("Two", { model: to });
      session.edit(kind("Be bold."));
      if (pause === "restarts") await host.restart({});
      await session.say("Three", { model: to });
      expect(natives(session.last())).toHaveLength(2);
      expect(updates(session.last())).toEqual([]);
      expectSteady(session.main());
    },
  );

  test("M6: a strict backend's refusal makes the rest of the session text", async () => {
    const session = await talk();
    await session.say("One", { model });
    session.edit(kind("Be kind."));
    await session.say("Two", { model });
    provider.script.instructions = "leading";
    session.edit(kind("Be bold."));
    await session.say("Three", { model });
    expect(updates(session.last())).toHaveLength(2);
    await session.say("Four", { model });
    expect(updates(session.last())).toHaveLength(2);
    // With the new one as text, then all as text: two were refused.
    expectedRefusals = 2;
    expectSteady(answered(session).slice(-2));
  });

  longTest("Gemini, which has no such role, is sent text", async () => {
    const session = await talk();
    await session.say("One", { model: MODELS.gemini });
    session.edit(kind("Be kind."));
    await session.say("Two", { model: MODELS.gemini });
    expect(updates(session.last())).toHaveLength(1);
    expectSteady(session.main());
  });
});

longTest("M6: a provider whose login brings its own fetch is left alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-login-"));
  const login = join(folder, "login.js");
  writeFileSync(
    login,
    `export default { id: "login", server: async () => ({ auth: { provider: "anthropic", methods: [],
      loader: async () => ({ fetch: (input, init) => fetch(input, init) }) } }) };`,
  );
  const other = await startHost({
    ...STOCK,
    providerUrl: provider.url,
    files: FILES,
    plugin: [login, [OURS, { lowering: "native" }]],
    config: { provider: withClaudes(provider.url) },
  });
  try {
    await other.client.request("PUT", "/auth/anthropic", { type: "api", key: "mock" });
    await other.restart({});
    const { id } = await other.client.createSession();
    const bench = { host: other, provider, close: () => Promise.resolve() };
    const session = makeTalk(bench, other.client, id);
    await session.say("One", { model: OPUS });
    session.edit(kind("Be kind."));
    await session.say("Two", { model: OPUS });
    expect(rules(session.last())).toEqual({ native: [], text: ["Be kind"] });
    expectSteady(session.main());
  } finally {
    await other.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
