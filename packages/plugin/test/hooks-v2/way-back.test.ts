import { afterEach, expect, test } from "bun:test";
import type { V2ContextEvent } from "../../src/hooks-v2/context.ts";
import plugin from "../../src/index.ts";
import type { V2Plugin } from "./host.ts";
import { LONG, ownFolder, readingModel, texts } from "./stage.ts";
import { StandIn } from "./stand-in.ts";

// An agent that is not offered the look-ups, on OpenCode 2.
const folder = ownFolder();
afterEach(() => folder.remove());

const TURNS = 8;

type HookSession = {
  readonly session: {
    readonly hook: (name: "context", run: (event: V2ContextEvent) => void) => Promise<unknown>;
  };
};

/** The calls of every agent lack our tools, as those of an agent do whose permissions deny them. */
const denies: V2Plugin = {
  id: "denies",
  setup: async (ctx) => {
    const { session } = ctx as HookSession;
    await session.hook("context", ({ tools = {} }) => {
      for (const name of Object.keys(tools)) if (name.startsWith("ctx_")) delete tools[name];
    });
  },
};

async function lastCallWith(plugins: readonly V2Plugin[]) {
  const host = new StandIn({
    ...{ plugins, windowTokens: 60_000, tools: ["read"], model: readingModel(3) },
    runTool: () => ({ content: `${LONG}\n${LONG}` }),
  });
  for (let turn = 1; turn <= TURNS; turn++) await host.prompt("ses_1", `Do turn ${turn}`);
  await host.close();
  expect([...host.failed, ...host.refused]).toEqual([]);
  return host.sent.at(-1);
}

test("on OpenCode 2, what goes names no tool that the call lacks, and the same history with them names it", async () => {
  const [offered, lacking] = [await lastCallWith([plugin]), await lastCallWith([denies, plugin])];
  expect(offered?.tools).toContain("ctx_search");
  expect(lacking?.tools).toEqual(["read"]);
  for (const sent of [offered, lacking]) {
    expect(texts(sent)).toMatch(/<session-history>|not shown any more/);
    expect(texts(sent).length).toBeLessThan(TURNS * 6 * LONG.length);
  }
  expect(texts(offered)).toMatch(/ctx_(?:expand|search)/);
  expect(texts(lacking)).not.toContain("ctx_");
});
