import { expect, test } from "bun:test";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { MODELS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { OURS, type Talk, useStage } from "./conformance/stage.ts";
import { ctxStatus, reports } from "./ctx-status-stage.ts";
import { mcpConnected } from "./mcp-connected.ts";

// A provider that takes 128 tools, and an MCP server that leaves a place for one of ours, on the real host.
const stage = useStage({});
const MAX_TOOLS = 128;
const openAi = { model: MODELS.responses };

function listTools({ blocks }: CallRecord): readonly string[] {
  return blocks.flatMap(({ layer, bytes }) => {
    const tool: { readonly name?: string } = layer === "tools" ? JSON.parse(bytes) : {};
    return tool.name ?? [];
  });
}

const ours = (call: CallRecord) => listTools(call).filter((name) => name.startsWith("ctx_"));
const outcomes = (talk: Talk) => talk.main().map(({ outcome }) => outcome.type);

async function talkBeside(tools: number): Promise<Talk> {
  const command = [hostBinary(), join(import.meta.dir, "../fixtures/mcp-many.js"), String(tools)];
  const many = { type: "local", command, environment: { BUN_BE_BUN: "1" } };
  const folder = stage.host.addProject("many", {
    "opencode.json": JSON.stringify({ plugin: [OURS], mcp: { many } }),
  });
  const client = stage.host.createClient(folder);
  await mcpConnected(client, "many");
  return stage.talk(client);
}

test("after a refusal for too many tools ours are left out first, over a restart and until a server is gone", async () => {
  const alone = await stage.talk();
  await alone.say("Hello", openAi);
  const all = ours(alone.last());
  const talk = await talkBeside(MAX_TOOLS - (listTools(alone.last()).length - all.length) - 1);
  stage.provider.script.limitTools = MAX_TOOLS;

  await talk.say("One", openAi);
  expect(outcomes(talk)).toEqual(["failed"]);
  await ctxStatus(talk.client, talk.id);
  const shown = reports(await talk.client.messages(talk.id)).at(-1)?.text;
  expect(shown).toContain("openai accepts at most 128 tools in a call");

  await talk.say("Two", openAi);
  expect(outcomes(talk)).toEqual(["failed", "answered"]);
  expect(listTools(talk.last())).toHaveLength(MAX_TOOLS);
  expect(ours(talk.last())).toEqual(["ctx_search"]);
  // Another provider takes them all.
  await talk.say("Three", { model: MODELS.chat });
  expect(outcomes(talk).at(-1)).toBe("failed");
  stage.provider.script.limitTools = null;
  await talk.say("Four", { model: MODELS.anthropic });
  expect(ours(talk.last())).toEqual(all);
  stage.provider.script.limitTools = MAX_TOOLS;

  await stage.host.restart({});
  await mcpConnected(talk.client, "many");
  await talk.say("Five", openAi);
  expect(outcomes(talk).at(-1)).toBe("answered");
  expect(ours(talk.last())).toEqual(["ctx_search"]);

  await talk.client.request("POST", "/mcp/many/disconnect");
  // On a busy machine the look at the servers may be answered after the call.
  await talk.say("Six", openAi);
  await talk.say("Seven", openAi);
  expect(outcomes(talk).slice(-2)).toEqual(["answered", "answered"]);
  expect(ours(talk.last())).toEqual(all);
}, 300_000);
