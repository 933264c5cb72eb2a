import { afterEach, expect, test } from "bun:test";
import plugin from "../../src/index.ts";
import { ownFolder } from "./stage.ts";
import { StandIn } from "./stand-in.ts";

const folder = ownFolder();
afterEach(() => folder.remove());

test("on OpenCode 2, a call offers no more tools than its provider takes: ours are left out first", async () => {
  const tools = Array.from({ length: 126 }, (_, index) => `many_tool${index}`);
  const answers = { plugins: [plugin], model: () => ({ text: "Done." }), runTool: () => ({}) };
  const bounded = new StandIn({ ...answers, tools, providerId: "openai" });
  await bounded.prompt("ses_1", "Hello");
  expect(bounded.sent[0]?.tools).toEqual([...tools, "ctx_search", "ctx_expand"]);
  await bounded.close();
  const free = new StandIn({ ...answers, tools });
  await free.prompt("ses_2", "Hello");
  expect(free.sent[0]?.tools.length).toBeGreaterThan(128);
  await free.close();
});
