import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ToolPart } from "@opencode-ai/sdk/v2";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import type { RunningTurn } from "../src/client/client.ts";
import { MODELS } from "../src/host/models.ts";
import type { JsonObject } from "../src/json.ts";
import { call, say } from "../src/provider/reply.ts";
import { expectSteady, history, OURS, one, type Talk, useStage } from "./conformance/stage.ts";
import { LONG } from "./long.ts";
import { mcpConnected } from "./mcp-connected.ts";

const fixture = (name: string) => join(import.meta.dir, "../fixtures", name);

const LIMIT = { lines: 2000, bytes: 51_200 };

const stage = useStage({
  plugin: [OURS, fixture("tool-plugin.js")],
  config: {
    // Everything outside of the project asks, and nobody is there to answer.
    permission: { "*": "allow", external_directory: "ask" },
    mcp: {
      tests: {
        type: "local",
        command: [hostBinary(), fixture("mcp-server.js")],
        environment: { BUN_BE_BUN: "1" },
      },
    },
  },
});

const folder = () => join(stage.host.home.data, "opencode/tool-output");

/** Lets the model call one tool, and gives what the host has stored of it. */
async function use(talk: Talk, tool: string, input: JsonObject): Promise<ToolPart> {
  await mcpConnected(stage.host.client, "tests");
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Done."));
  await talk.say(`Call ${tool}`);
  return newestTool(talk);
}

async function newestTool(talk: Talk): Promise<ToolPart> {
  const messages = await talk.client.messages(talk.id);
  const parts = messages.flatMap((message) => message.parts);
  return one(parts.filter((part) => part.type === "tool").at(-1));
}

/** The first line of the runtime's log about an event; it is written a moment later. */
async function logged(event: string): Promise<JsonObject> {
  const path = join(stage.host.home.root, "session-runtime/runtime.log");
  for (;;) {
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    const line = lines.find((text) => text.includes(`"event":"${event}"`));
    if (line !== undefined) return JSON.parse(line);
    await Bun.sleep(50);
  }
}

interface CompletedCall {
  readonly output: string;
  readonly metadata: { readonly [key: string]: unknown };
  readonly paths: readonly string[];
}

function completed({ state }: ToolPart): CompletedCall {
  if (state.status !== "completed") throw new Error(JSON.stringify(state).slice(0, 500));
  const { outputPaths } = state.metadata;
  const paths = Array.isArray(outputPaths) ? outputPaths.map(String) : [];
  return { output: state.output, metadata: state.metadata, paths };
}

/** I17: what history holds is within the limit, and is what the provider is sent. */
function expectBounded(talk: Talk, { output }: CompletedCall): void {
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(LIMIT.bytes);
  expect(output.split("\n").length).toBeLessThanOrEqual(LIMIT.lines);
  expect(history(talk.last()).map(({ text }) => text)).toContain(output);
}

function fullText({ output, paths }: CompletedCall): string {
  const path = one(paths.at(-1));
  expect(output).toContain(`Full output saved to: ${path} `);
  return readFileSync(path, "utf8");
}

const numbered = (name: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, line) => `${name}${line + from}`).join("\n");

/**
 * Prints numbered lines, a few at a time: of a command that fills the pipe at once, the host under
 * load loses the beginning, with and without the plugin, before anyone sees it.
 */
const counting =
  "for i in 0 1 2 3 4 5; do seq $((i * 5000 + 1)) $((i * 5000 + 5000)); sleep 0.1; done";

const bash = (command: string, timeout = 20_000) => ({ command, timeout, description: "x" });

describe("tool output in history", () => {
  test("F13: bash regains its head, and keeps the host's note behind its tail", async () => {
    const talk = await stage.talk();
    const result = completed(await use(talk, "bash", bash(counting)));
    expect(result.output).toStartWith("1\n2\n3\n");
    expect(result.output).toEndWith("\n29999\n30000\n");
    expectBounded(talk, result);
    expect(fullText(result)).toBe(`${numbered("", 30_000, 1)}\n`);
    expect(result.paths).toEqual([String(result.metadata.outputPath)]);
    const cut = completed(await use(talk, "bash", bash(`${counting}; exec sleep 30`, 3000)));
    expect(cut.output).toStartWith("1\n2\n3\n");
    expect(cut.output).toMatch(
      /\n30000\n\n\n<shell_metadata>\n[^\n]*timeout 3000 ms[\s\S]*<\/shell_metadata>$/,
    );
    expectBounded(talk, cut);
  });

  test("F13: bash that prints one long line, of which the host shows nothing, is shown", async () => {
    const talk = await stage.talk();
    const piece = "head -c 30000 /dev/zero | tr '\\0' x; sleep 0.1";
    const command = `for i in 0 1 2 3 4 5 6 7 8 9; do ${piece}; done; echo; exit 3`;
    const result = completed(await use(talk, "bash", bash(command)));
    expect(result.output).toStartWith("x".repeat(20_000));
    expect(result.output).not.toContain("(no output)");
    expectBounded(talk, result);
    expect(fullText(result)).toBe(`${"x".repeat(300_000)}\n`);
  });

  test("F13: a plugin's tool regains its tail", async () => {
    const talk = await stage.talk();
    const result = completed(await use(talk, "report", {}));
    expect(result.output).toStartWith("report 0\n");
    expect(result.output).toEndWith("\nreport 5999");
    expectBounded(talk, result);
    expect(fullText(result)).toBe(numbered("report ", 6000));
  });

  test("F8, F11: a path that the tool named itself survives beside that of the full text", async () => {
    const talk = await stage.talk();
    const result = completed(await use(talk, "report_with_file", {}));
    expect(result.paths).toEqual(["/srv/artifacts/report.txt", String(result.metadata.outputPath)]);
    expect(result.metadata.own).toEqual({ kept: true });
  });

  test("F1, F11, F13: MCP is bounded before the host cuts it, all texts under one limit", async () => {
    const talk = await stage.talk();
    const input = { count: 1500, width: 30, parts: 2 };
    const result = completed(await use(talk, "tests_lines", input));
    expect(result.output).toStartWith("part 0 line 0.");
    expect(result.output).toContain("\npart 1 line 1499");
    expectBounded(talk, result);
    // The host found nothing left to cut, and wrote no file of its own.
    expect(result.metadata.truncated).toBe(false);
    expect(result.metadata.outputPath).toBeUndefined();
    const part = (name: string) =>
      Array.from({ length: 1500 }, (_, line) => `${name} line ${line}`.padEnd(30, ".")).join("\n");
    expect(fullText(result)).toBe(`${part("part 0")}\n\n${part("part 1")}`);
  });

  test("F2: a structured-only result of MCP gets a bounded JSON preview", async () => {
    const talk = await stage.talk();
    const result = completed(await use(talk, "tests_structured", { rows: 9000 }));
    expect(result.output).toStartWith('{\n  "rows": [\n    {\n      "id": 0\n');
    expect(result.output).toEndWith('"id": 8999\n    }\n  ]\n}');
    expectBounded(talk, result);
    expect(JSON.parse(fullText(result)).rows).toHaveLength(9000);
  });

  test("F3: media stays; what the host says of a binary resource fits in", async () => {
    const talk = await stage.talk();
    const part = await use(talk, "tests_media", {});
    const result = completed(part);
    const attachments = part.state.status === "completed" ? part.state.attachments : [];
    expect(attachments?.map(({ mime }) => mime)).toEqual(["image/png"]);
    expect(result.output).toContain("\n\n[Binary MCP resource omitted: x://binary");
    expect(result.metadata.truncated).toBe(false);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(LIMIT.bytes);
  });

  test("I17: the text of a failed MCP call is bounded before it is sent, and stays as it was sent", async () => {
    const talk = await stage.talk();
    const part = await use(talk, "tests_failing", { count: 20_000, width: 40 });
    const whole = part.state.status === "error" ? part.state.error : "";
    expect(whole).toHaveLength(20_000 * 41 - 1);
    const shown = () =>
      one(history(talk.last()).find(({ text }) => text.startsWith("error 0."))).text;
    const first = shown();
    expect(Buffer.byteLength(first)).toBeLessThanOrEqual(LIMIT.bytes);
    expect(first).toMatch(/\nerror 19999\.+$/);
    const path = one(/Full output saved to: (\S+) /.exec(first)?.[1]);
    expect(readFileSync(path, "utf8")).toBe(whole);
    await talk.say("Two");
    await stage.host.restart({});
    await talk.say("Three");
    expect(shown()).toBe(first);
    expectSteady(talk.main());
    await talk.client.summarize(talk.id, MODELS.anthropic);
    const [compaction] = stage.provider.listCalls(talk.id, "compaction");
    expect(JSON.stringify(compaction?.body).length).toBeLessThan(2 * LIMIT.bytes);
    await talk.say("Four");
    for (const { text } of history(talk.last())) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT.bytes);
    }
  });

  test("a small output is as the host has it, without paths", async () => {
    const talk = await stage.talk();
    const result = completed(await use(talk, "tests_lines", { count: 3 }));
    expect(result.output).toBe("part 0 line 0\npart 0 line 1\npart 0 line 2");
    expect(result.metadata).toEqual({ truncated: false });
  });
});

describe("the file of a preview", () => {
  /** The host looks for `rg` in the PATH, then in its cache, else downloads it. */
  function provideRipgrep(): void {
    if (Bun.which("rg") !== null) return;
    const bin = join(stage.host.home.root, ".cache/opencode/bin");
    mkdirSync(bin, { recursive: true });
    const run = `exec env BUN_BE_BUN=1 '${hostBinary()}' '${fixture("ripgrep.js")}' "$@"`;
    writeFileSync(join(bin, "rg"), `#!/bin/sh\n${run}\n`);
    chmodSync(join(bin, "rg"), 0o755);
  }

  test("F10: read and grep open it without a question; another file outside does ask", async () => {
    provideRipgrep();
    const talk = await stage.talk();
    const events = await talk.client.events();
    const asked = () => events.seen.filter(({ type }) => type.startsWith("permission."));
    await use(talk, "report", {});
    const made = completed(await use(talk, "tests_lines", { count: 4000, width: 40 }));
    const path = one(made.paths[0]);
    const first = completed(await use(talk, "read", { filePath: path }));
    expect(first.output).toContain("\n1: part 0 line 0.");
    const next = Number(/Use offset=(\d+) to continue/.exec(first.output)?.[1]);
    const second = completed(await use(talk, "read", { filePath: path, offset: next }));
    expect(second.output).toContain(`\n${next}: part 0 line ${next - 1}.`);
    expectBounded(talk, second);
    expect([first.paths, second.paths]).toEqual([[], []]);
    const include = one(/include "([^"]+)"/.exec(made.output)?.[1]);
    const search = { pattern: "(line|report) 2[0-9]50", path, include };
    const grepped = completed(await use(talk, "grep", search));
    expect(grepped.output).toStartWith("Found 10 matches");
    expect(grepped.output).toContain("  Line 2051: part 0 line 2050.");
    expect(asked()).toEqual([]);
    const outside = join(stage.host.home.root, "outside.txt");
    writeFileSync(outside, "outside");
    stage.provider.script.queueFor(talk.id, call("read", { filePath: outside }));
    const question = events.next(({ type }) => type === "permission.asked");
    const { settled } = await talk.client.promptAsync(talk.id, "Read it");
    expect((await question).properties.permission).toBe("external_directory");
    await talk.client.abort(talk.id);
    await settled;
    events.close();
  });

  test("F6: where it can't be written, the tool still succeeds with a lossy preview and no path", async () => {
    rmSync(folder(), { recursive: true, force: true });
    writeFileSync(folder(), "in the way");
    const talk = await stage.talk();
    const result = completed(await use(talk, "tests_lines", { count: 5000, width: 30 }));
    rmSync(folder());
    expect(result.output).toStartWith("part 0 line 0.");
    expect(result.output).toContain("are lost: the full output could not be stored");
    expect(result.paths).toEqual([]);
    expectBounded(talk, result);
    expect(await logged("tool_output.not_stored")).toMatchObject({
      level: "error",
      tool: "tests_lines",
      reason: "EEXIST",
    });
  });

  test("F7: a process's first settlement takes away what of ours has expired, and nothing else", async () => {
    const eightDaysAgo = Date.now() / 1000 - 8 * 86_400;
    const expired = `tool_0123456789ab-sr-${"a".repeat(22)}`;
    // The host's own clean-up takes whatever begins with `tool_`, a minute after it starts.
    const others = [`tool_0123456789ab${"a".repeat(14)}`, "tool_of_the_user-sr-notes", "notes.txt"];
    mkdirSync(folder(), { recursive: true });
    for (const name of [expired, ...others]) {
      writeFileSync(join(folder(), name), "old");
      utimesSync(join(folder(), name), eightDaysAgo, eightDaysAgo);
    }
    await stage.host.restart({});
    await use(await stage.talk(), "read", { filePath: join(stage.host.project, "notes.txt") });
    while (existsSync(join(folder(), expired))) await Bun.sleep(20);
    expect(others.filter((name) => existsSync(join(folder(), name)))).toEqual(others);
    for (const name of others) rmSync(join(folder(), name));
  });

  test("F9: a tool's name, its call and its text give no name to a file", async () => {
    const data = join(stage.host.home.data, "opencode");
    const before = [...readdirSync(data), "tool-output"];
    const talk = await stage.talk();
    const command = "for i in $(seq 1 9000); do echo ../../../../etc/passwd; done";
    completed(await use(talk, "bash", { ...bash(command), description: "../../escape" }));
    completed(await use(talk, "tests_lines", { count: 5000 }));
    expect(readdirSync(data).filter((name) => !before.includes(name))).toEqual([]);
    expect(readdirSync(folder()).filter((name) => !/^tool_[-\w]+$/.test(name))).toEqual([]);
  });
});

/** A long run kills ten hosts, each of which starts anew beside those of other suites. */
const KILLS_MS = 600_000;

describe("F12: a settlement that is cut off", () => {
  const input = { count: 40_000, width: 60 };

  const written = () =>
    existsSync(folder()) ? readdirSync(folder()).filter((name) => name.includes("-sr-")) : [];

  /** Begins a call, and resolves as soon as its settlement writes. */
  async function begin(talk: Talk): Promise<RunningTurn> {
    await mcpConnected(stage.host.client, "tests");
    const known = new Set(written());
    stage.provider.script.queueFor(talk.id, call("tests_lines", input));
    const turn = await talk.client.promptAsync(talk.id, "Call it");
    while (written().every((name) => known.has(name))) await Bun.sleep(0);
    return turn;
  }

  test(
    "kill -9 leaves the bounded record or none, never the raw one",
    async () => {
      for (const delayMs of LONG ? [0, 1, 2, 4, 8, 12, 16, 24, 32, 64] : [0, 6]) {
        const talk = await stage.talk();
        await begin(talk);
        await Bun.sleep(delayMs);
        await stage.host.kill9();
        await stage.host.start({});
        expectNotRaw(await newestTool(talk));
      }
    },
    KILLS_MS,
  );

  test("an abort leaves the bounded record or an error, never the raw one", async () => {
    for (const delayMs of LONG ? [0, 5, 20] : [0, 8]) {
      const talk = await stage.talk();
      const { settled } = await begin(talk);
      await Bun.sleep(delayMs);
      await talk.client.abort(talk.id);
      await settled;
      expectNotRaw(await newestTool(talk));
      await Bun.sleep(400);
      expectNotRaw(await newestTool(talk));
    }
  });

  function expectNotRaw(part: ToolPart): void {
    if (part.state.status === "completed") {
      const { output, paths } = completed(part);
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(LIMIT.bytes);
      expect(readFileSync(one(paths[0]), "utf8").split("\n")).toHaveLength(input.count);
    }
    expect(JSON.stringify(part).length).toBeLessThan(2 * LIMIT.bytes);
  }
});
