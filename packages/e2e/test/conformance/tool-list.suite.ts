import { expect, test } from "bun:test";
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import type { JsonObject } from "../../src/json.ts";
import { call, say } from "../../src/provider/reply.ts";
import { ctxStatus, errorMessage, reports } from "../ctx-status-stage.ts";
import { mcpConnected } from "../mcp-connected.ts";
import { stage } from "./own-plugins.ts";
import { cached, OURS, one, type Talk } from "./stage.ts";

const fixture = (name: string) => join(import.meta.dir, "../../fixtures", name);

/** A text that makes the first request long enough to be cached. */
const LONG = Array.from({ length: 400 }, (_, line) => `Rule ${line}: keep it short.`).join("\n");

async function startTalk(name: string, config: JsonObject): Promise<Talk> {
  const folder = stage.host.addProject(name, {
    "AGENTS.md": `${LONG}\n`,
    "notes.txt": "A first note.\n",
    "opencode.json": JSON.stringify({ plugin: [OURS], ...config }),
  });
  return stage.talk(stage.host.createClient(folder));
}

/** The newest report: in the session, or in the answer where the host can't list its messages. */
async function readStatusAnswer(talk: Talk): Promise<string> {
  const answer = errorMessage(await ctxStatus(talk.client, talk.id));
  if (answer.includes("can't list")) return answer;
  return one(reports(await talk.client.messages(talk.id)).at(-1)).text;
}

test("I1: the tool of a structured answer comes and goes, and status names the tool list", async () => {
  const talk = await startTalk("structured", {});
  await talk.say("One");
  expect(await readStatusAnswer(talk)).not.toContain("the tool list changed");
  stage.provider.script.queueFor(talk.id, call("StructuredOutput", { word: "two" }));
  const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
  await talk.say("Two", { format: { type: "json_schema", schema } });
  expect(await readStatusAnswer(talk)).toContain("the tool list changed");
});

test("I1: an MCP server that is disconnected and connected by hand is named as the cause", async () => {
  const server = { type: "local", command: [hostBinary(), fixture("mcp-server.js")] };
  const talk = await startTalk("servers", {
    mcp: { wiki: { ...server, environment: { BUN_BE_BUN: "1" } } },
  });
  const named = "the tool list changed: those of the MCP server wiki";
  await mcpConnected(talk.client, "wiki");
  await talk.say("One");
  await talk.say("Two");
  expect(await readStatusAnswer(talk)).not.toContain("the tool list changed");
  await talk.client.request("POST", "/mcp/wiki/disconnect");
  await talk.say("Three");
  // On a busy machine the look at the servers may be answered when the call's row is written.
  await talk.say("Four");
  expect((await readStatusAnswer(talk)).split(named)).toHaveLength(2);
  await talk.client.request("POST", "/mcp/wiki/connect");
  await talk.say("Five");
  await talk.say("Six");
  expect((await readStatusAnswer(talk)).split(named)).toHaveLength(3);
});

test("I1: the host's note at an agent's last step takes nothing of the cache but itself", async () => {
  const talk = await startTalk("last-step", { agent: { build: { steps: 2 } } });
  const read = call("read", { filePath: join(talk.client.folder, "notes.txt") });
  await talk.say("One");
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await talk.say("Two");
  const last = talk.last();
  await talk.say("Three");
  const note = "MAXIMUM STEPS";
  expect(JSON.stringify(last.blocks)).toContain(note);
  expect(JSON.stringify(talk.last().blocks)).not.toContain(note);
  // What the call of the last step sent before the note, the next one reads.
  const noteTokens = 400;
  expect(cached(talk.last()).read).toBeGreaterThan(cached(last).all - noteTokens);
});
