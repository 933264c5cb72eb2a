import { expect, test } from "bun:test";
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { writeFiles } from "../../src/host/home.ts";
import { mcpConnected } from "../mcp-connected.ts";
import { stage } from "./one-host.ts";
import { baseline, count, expectSteady, type Talk, updates } from "./stage.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp-server.js");

/** A project with an MCP server whose instructions stand in `manual.txt`, and which has no tools. */
async function servedTalk(name: string, manual: string): Promise<Talk> {
  const folder = join(stage.host.home.projects, name);
  const manuals = {
    type: "local",
    command: [hostBinary(), SERVER, join(folder, "manual.txt")],
    environment: { BUN_BE_BUN: "1" },
  };
  stage.host.addProject(name, {
    "AGENTS.md": "Answer in short sentences.\n",
    "manual.txt": manual,
    "opencode.json": JSON.stringify({ mcp: { manuals } }),
  });
  const talk = await stage.talk(stage.host.createClient(folder));
  await mcpConnected(talk.client, "manuals");
  return talk;
}

const server = ({ client }: Talk, action: "connect" | "disconnect") =>
  client.request("POST", `/mcp/manuals/${action}`);

/** The host renders these anew at each call: a change is seen at one, and told at the next. */
async function sayTwice(talk: Talk, text: string): Promise<void> {
  await talk.say(text);
  await talk.say(`${text}, once more`);
}

test("J4, I1: the instructions of an MCP server are frozen; changed, gone and back they are told once each", async () => {
  const talk = await servedTalk("served", "Ask for the manual first.");
  await talk.say("One");
  expect(baseline(talk.last())).toContain("    Ask for the manual first.\n");

  talk.edit({ "manual.txt": "Ask for the index first." });
  await server(talk, "disconnect");
  await server(talk, "connect");
  await sayTwice(talk, "Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toStartWith(
    "The instructions of the MCP servers have changed. These supersede all previous MCP instructions.",
  );
  expect(updates(talk.last())[0]).toContain("    Ask for the index first.\n");

  await server(talk, "disconnect");
  await sayTwice(talk, "Three");
  expect(updates(talk.last()).slice(1)).toEqual([
    "No MCP server has instructions any more. Previously given MCP instructions no longer apply.",
  ]);

  await server(talk, "connect");
  await sayTwice(talk, "Four");
  expect(updates(talk.last())).toHaveLength(3);
  expect(updates(talk.last())[2]).toContain("    Ask for the index first.\n");
  expect(count(talk.last(), "Ask for the manual first.")).toBe(1);
  expectSteady(talk.main());
});

test("J4, I2: the instructions of an MCP server that changed while the host was down are told once", async () => {
  const talk = await servedTalk("served-restart", "Ask for the manual first.");
  await talk.say("One");
  talk.edit({ "manual.txt": "Ask for the index first." });
  await stage.host.restart({});
  await mcpConnected(talk.client, "manuals");
  await sayTwice(talk, "Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain("    Ask for the index first.\n");
  expectSteady(talk.main());
});

test("E1: a reference that is added, and the last that is removed, are told as the whole list anew", async () => {
  const described = (name: string) => ({ path: `./${name}`, description: `Has ${name}.` });
  const config = (...names: readonly string[]) => ({
    "opencode.json": JSON.stringify({
      references: Object.fromEntries(names.map((name) => [name, described(name)])),
    }),
  });
  const folder = stage.host.addProject("references", {
    ...config("docs"),
    "docs/a.md": "Of docs.\n",
    "lib/a.md": "Of lib.\n",
  });
  const talk = await stage.talk(stage.host.createClient(folder));
  const change = async (...names: readonly string[]) => {
    writeFiles(folder, config(...names));
    // The host reads its config when it opens a project: it is made to open it again.
    await talk.client.request("POST", "/instance/dispose");
  };
  await talk.say("One");
  expect(baseline(talk.last())).toContain("<name>docs</name>");

  await change("docs", "lib");
  await sayTwice(talk, "Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toStartWith("The available project references have changed.");
  for (const name of ["docs", "lib"]) expect(updates(talk.last())[0]).toContain(`Has ${name}.`);

  await change();
  await sayTwice(talk, "Three");
  expect(updates(talk.last()).slice(1)).toEqual([
    "Project reference guidance is no longer available. Do not use previously listed references.",
  ]);
  expectSteady(talk.main());
});
