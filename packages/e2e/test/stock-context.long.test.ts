import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { writeFiles } from "../src/host/home.ts";
import { MODELS } from "../src/host/models.ts";
import { type Bench, openBench } from "../src/open.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { firstDifference, prefixBreaks } from "../src/wire.ts";

setDefaultTimeout(600_000);

const AGENTS_MD = "Answer in short sentences.\n";
const SKILL = "---\nname: tidy\ndescription: Tidies up.\n---\nTidy up.\n";

let bench: Bench;
beforeAll(async () => {
  const files = { "AGENTS.md": AGENTS_MD, ".opencode/skills/tidy/SKILL.md": SKILL };
  bench = await openBench({ files });
});
afterAll(() => bench.close());
beforeEach(() => {
  bench.provider.script.reset();
  writeFiles(bench.host.project, { "AGENTS.md": AGENTS_MD });
});

async function openSession(): Promise<string> {
  return (await bench.host.client.createSession()).id;
}

function mainCalls(id: string): readonly CallRecord[] {
  return bench.provider.listCalls(id, "main");
}

/** How many messages of the call hold the text. */
function holding(record: CallRecord | undefined, text: string): number {
  return (
    record?.blocks.filter(({ layer, bytes }) => layer === "messages" && bytes.includes(text))
      .length ?? 0
  );
}

describe("the system string", () => {
  test("is agent prompt, environment, instructions, skills, the prompt's own system", async () => {
    const id = await openSession();
    await bench.host.client.prompt(id, "Hello", { system: "SPEAK SLOWLY" });
    const system = mainCalls(id)[0]?.system ?? "";
    const marks = [
      "You are OpenCode",
      "You are powered by the model named",
      "Working directory:",
      "Today's date:",
      "</env>",
      "Instructions from:",
      "<available_skills>",
      "<name>tidy</name>",
      "SPEAK SLOWLY",
    ];
    const places = marks.map((mark) => system.indexOf(mark));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test("has no environment block in title and compaction calls, which have no tools", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    await host.client.prompt(id, "Hello");
    await host.client.summarize(id, MODELS.anthropic);
    const aside = [...provider.listCalls(id, "title"), ...provider.listCalls(id, "compaction")];
    expect(aside).toHaveLength(2);
    for (const { system, blocks } of aside) {
      expect(system).not.toContain("You are powered by");
      expect(blocks.filter(({ layer }) => layer === "tools")).toEqual([]);
    }
  });

  test("changes with AGENTS.md, and the conversation is written anew", async () => {
    const { host } = bench;
    const id = await openSession();
    await host.client.prompt(id, "One");
    writeFiles(host.project, { "AGENTS.md": `${AGENTS_MD}Be kind.\n` });
    await host.client.prompt(id, "Two");
    const [before, after] = mainCalls(id);
    if (!before || !after) throw new Error("two calls expected");
    expect(firstDifference(before, after)).toMatchObject({ layer: "system" });
    expect(after.outcome).toMatchObject({ usage: { readTokens: 0 } });
  });

  test("changes within a tool loop too", async () => {
    const { host, provider } = bench;
    const id = await openSession();
    const command = `echo 'Be loud.' >> ${host.project}/AGENTS.md`;
    provider.script.queueFor(id, call("bash", { command, description: "x" }), say("Done."));
    await host.client.prompt(id, "Change it");
    expect(prefixBreaks(mainCalls(id))).toHaveLength(1);
  });

  test("holds a prompt's own system in that prompt's calls alone", async () => {
    const { host } = bench;
    const id = await openSession();
    await host.client.prompt(id, "One", { system: "SPEAK SLOWLY" });
    await host.client.prompt(id, "Two");
    expect(mainCalls(id).map(({ system }) => system.includes("SPEAK SLOWLY"))).toEqual([
      true,
      false,
    ]);
  });
});

describe("plan mode", () => {
  const PLAN = "# Plan Mode - System Reminder";
  const BUILD = "Your operational mode has changed from plan to build";

  test("is told in the newest user message only, and vanishes from it later", async () => {
    const { host } = bench;
    const id = await openSession();
    for (const agent of ["build", "plan", "plan", "build", "build"]) {
      await host.client.prompt(id, `Go on in ${agent}`, { agent });
    }
    const main = mainCalls(id);
    expect(main.map((record) => holding(record, PLAN))).toEqual([0, 1, 1, 0, 0]);
    expect(prefixBreaks(main).length).toBeGreaterThan(1);
  });

  test("the switch back is told again with every later prompt of the session", async () => {
    const { host } = bench;
    const id = await openSession();
    for (const agent of ["plan", "build", "build", "build"]) {
      await host.client.prompt(id, `Go on in ${agent}`, { agent });
    }
    expect(mainCalls(id).map((record) => holding(record, BUILD))).toEqual([0, 1, 1, 1]);
  });

  test("keeps system string and tools", async () => {
    const { host } = bench;
    const id = await openSession();
    await host.client.prompt(id, "One", { agent: "build" });
    await host.client.prompt(id, "Two", { agent: "plan" });
    const layers = mainCalls(id).map(({ blocks }) =>
      blocks.filter(({ layer }) => layer !== "messages").map(({ bytes }) => bytes),
    );
    expect(layers[1]).toEqual(layers[0] ?? []);
  });
});

test("a second project has its own folder, instructions and cache", async () => {
  const { host } = bench;
  await host.client.prompt(await openSession(), "Warm the cache");
  const folder = host.addProject("other", { "AGENTS.md": "Speak of other things.\n" });
  const client = host.createClient(folder);
  const { id } = await client.createSession();
  await client.prompt(id, "Hello");
  const [record] = mainCalls(id);
  expect(record?.system).toContain(`Working directory: ${folder}`);
  expect(record?.system).toContain("Speak of other things.");
  expect(record?.outcome).toMatchObject({ usage: { readTokens: 0 } });
});
