// The edge on the stand-in host: what a session's requests hold, and that failures leave the host's own.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toKernelTool } from "../../src/hooks-v2/rows.ts";
import plugin from "../../src/index.ts";
import { openHost, type SentRequest } from "./host.ts";
import {
  hostWith,
  isPrefix,
  LONG,
  ledgerRows,
  ownFolder,
  readingModel,
  standIn,
  texts,
} from "./stage.ts";

let folder: ReturnType<typeof ownFolder>;
beforeEach(() => {
  folder = ownFolder();
});
afterEach(() => folder.remove());

/** The same session without a plugin: what the host sends by itself. */
async function hostsOwn(turns: number): Promise<readonly SentRequest[]> {
  const host = hostWith([]);
  for (let turn = 0; turn < turns; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
  return host.sent;
}

describe("V3: a long session", () => {
  test("keeps the prefix of each request but at rewrites that are on record, and drops or folds old results", async () => {
    const rows: number[] = [];
    const model = readingModel(3);
    const host = hostWith([plugin], (sent) => {
      rows.push(ledgerRows());
      return model(sent);
    });
    for (let turn = 0; turn < 20; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
    await host.close();
    const { sent } = host;
    expect(host.failed).toEqual([]);
    expect(sent).toHaveLength(20 * 4);
    const broken = sent.flatMap((call, at) =>
      at === 0 || isPrefix(sent[at - 1], call) ? [] : [at],
    );
    expect(broken.length).toBeGreaterThan(1);
    expect(broken.filter((at) => rows[at] === rows[at - 1])).toEqual([]);
    const whole = (await host.history("ses_1")).length;
    expect(texts(sent.at(-1)).length).toBeLessThan(0.4 * whole);
  });

  test("sends the same after a restart, and every call keeps its result", async () => {
    const host = hostWith();
    for (let turn = 0; turn < 8; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
    await host.reload([plugin]);
    await host.prompt("ses_1", "And more.");
    await host.close();
    const at = 8 * 4;
    expect(isPrefix(host.sent[at - 1], host.sent[at])).toBe(true);
    for (const { messages } of host.sent) {
      const ids = (type: string) =>
        messages.flatMap(({ content }) =>
          content.flatMap((part) => (part.type === type && "id" in part ? [part.id] : [])),
        );
      expect(ids("tool-result")).toEqual(ids("tool-call"));
    }
  });

  test("keeps the host's own system updates, those in a folded range too", async () => {
    const host = hostWith();
    for (let turn = 0; turn < 12; turn++) {
      if (turn === 2) host.instruct("ses_1", "AGENTS.md now says: use tabs.");
      await host.prompt("ses_1", `Read more (${turn}).`);
    }
    await host.close();
    const last = host.sent.at(-1);
    expect(texts(last)).not.toContain('Read more (1)."}]},{');
    expect(last?.messages.filter(({ role }) => role === "system")).toHaveLength(1);
  });
});

describe("what the host sends by itself is left alone", () => {
  test("where the session is short", async () => {
    const host = hostWith();
    await host.prompt("ses_1", "Read more (0).");
    await host.close();
    expect(host.sent.map(({ messages }) => messages)).toEqual(
      (await hostsOwn(1)).map(({ messages }) => messages),
    );
  });

  test("where the database can't be opened: each request is the host's, and no step fails", async () => {
    const data = join(process.env.XDG_DATA_HOME ?? "");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "session-runtime"), "a file where the folder should be");
    chmodSync(join(data, "session-runtime"), 0o400);
    const host = hostWith();
    for (let turn = 0; turn < 8; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
    await host.close();
    expect(host.failed).toEqual([]);
    expect(host.sent.map(({ messages }) => messages)).toEqual(
      (await hostsOwn(8)).map(({ messages }) => messages),
    );
  });

  test("where messages have no ids, as no host that was read makes them", async () => {
    const host = standIn();
    host.stored("ses_1").push({ role: "user", content: [{ type: "text", text: "No id." }] });
    await host.prompt("ses_1", "Hello.");
    await host.close();
    expect(host.failed).toEqual([]);
    expect(host.sent[0]?.messages[0]).toEqual({
      role: "user",
      content: [{ type: "text", text: "No id." }],
    });
  });
});

test("V3: a compaction sees what was dropped, and gets the brief as one appended user message", async () => {
  const host = hostWith();
  for (let turn = 0; turn < 10; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
  await host.compact("ses_1", 8);
  await host.prompt("ses_1", "Go on.");
  await host.close();
  expect(host.failed).toEqual([]);
  const compaction = host.sent.find(({ kind }) => kind === "compaction");
  const [brief, asked] = compaction?.messages.slice(-2) ?? [];
  expect(texts({ ...host.sent[0], messages: [asked] } as SentRequest)).toContain("Summarize.");
  expect(brief?.role).toBe("user");
  expect(JSON.stringify(brief)).toContain("Read more (");
  expect(texts(compaction).length).toBeLessThan(30 * LONG.length);
  expect(texts(host.sent.at(-1))).toContain("A summary.");
});

test("V4: our tools are offered directly, and answer; a result over the limit keeps head and tail", async () => {
  const long = Array.from({ length: 3_000 }, (_, line) => `row ${line}`).join("\n");
  const host = openHost({
    plugins: [plugin],
    model: ({ messages }) => {
      const calls = messages.filter(({ role }) => role === "tool").length;
      if (calls === 0) return { text: "", calls: [{ id: "a", name: "bash", input: {} }] };
      if (calls === 1) {
        const input = { query: "row" };
        return { text: "", calls: [{ id: "b", name: "ctx_search", input }] };
      }
      return { text: "Done." };
    },
    runTool: () => ({ content: long }),
  });
  await host.prompt("ses_1", "Run it.");
  await host.close();
  expect(host.sent[0]?.tools).toContain("ctx_search");
  const results = host.sent.at(-1)?.messages.filter(({ role }) => role === "tool");
  const [output, search] = results?.map((message) => JSON.stringify(message)) ?? [];
  expect(output).toContain("row 0\\n");
  expect(output).toContain("row 2999");
  expect(output?.length).toBeLessThan(long.length);
  expect(search).toContain('"type":"text"');
});

test("V5: /ctx-fold folds at the next request what it would not have folded by itself", async () => {
  const run = async (command: string, ...words: readonly string[]) => {
    const host = hostWith([plugin], readingModel(2));
    const session = `ses_${[command, ...words].join("_").replace(" ", "_")}`;
    for (let turn = 0; turn < 4; turn++) await host.prompt(session, `Read more (${turn}).`);
    await host.command(session, command, ...words);
    await host.prompt(session, "Go on.");
    await host.close();
    return host.sent.slice(-3);
  };
  const [own] = await run("no-such-command");
  expect(texts(own).includes("<session-history>")).toBe(false);
  const [first] = await run("ctx-fold");
  expect(texts(first).includes("<session-history>")).toBe(true);
  const [placed] = await run("ctx-fold", "before 3");
  const records = (text: string) => text.split("<session-history>").length;
  expect(records(texts(placed))).toBe(2);
  expect(records(texts(placed))).toBeLessThan(records(texts(first)));
});

test("the host's own tools are known by what they do, whatever they are called there", () => {
  const input = { path: "a.ts", limit: 5 };
  const known = { filePath: "a.ts", limit: 5 };
  expect(toKernelTool("read", input)).toEqual({ tool: "read", input: known });
  expect(toKernelTool("shell", { command: "ls" })).toEqual({
    tool: "bash",
    input: { command: "ls" },
  });
  expect(toKernelTool("grep", input)).toEqual({ tool: "grep", input });
  expect(toKernelTool("read", known)).toEqual({ tool: "read", input: known });
  expect(toKernelTool("read", null)).toEqual({ tool: "read", input: null });
});
