import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { stage } from "./one-host.ts";
import { baseline, count, expectSteady, type Talk, updates } from "./stage.ts";

async function talkIn(name: string, files: Readonly<Record<string, string>>): Promise<Talk> {
  return stage.talk(stage.host.createClient(stage.host.addProject(name, files)));
}

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.\n`;

/** The host reads skills when it opens a project: it is made to open it again. */
const reopen = ({ client }: Talk) => client.request("POST", "/instance/dispose");

test("D1: all files upward from the directory are one aggregate, nearest first", async () => {
  const folder = stage.host.addProject("upward", {
    "AGENTS.md": "Of the root.\n",
    "sub/AGENTS.md": "Of the folder.\n",
  });
  const talk = await stage.talk(stage.host.createClient(join(folder, "sub")));
  await talk.say("One");
  expect(baseline(talk.last())).toMatch(/Of the folder\.\n[\s\S]*Of the root\.\n/);
  writeFiles(folder, { "AGENTS.md": "Of the root, anew.\n" });
  await talk.say("Two");
  expect(updates(talk.last())[0]).toMatch(/Of the folder\.\n[\s\S]*Of the root, anew\.\n/);
  talk.remove("AGENTS.md");
  await talk.say("Three");
  expect(updates(talk.last())[1]).not.toContain("Of the folder.");
  expect(updates(talk.last())[1]).toContain("Of the root, anew.");
  expectSteady(talk.main());
});

test("D1: CLAUDE.md stands in for AGENTS.md, until there is one", async () => {
  const talk = await talkIn("claude", { "CLAUDE.md": "Of Claude.\n" });
  await talk.say("One");
  expect(baseline(talk.last())).toContain("Of Claude.");
  talk.edit({ "CLAUDE.md": "Of Claude, anew.\n" });
  await talk.say("Two");
  talk.edit({ "AGENTS.md": "Of all agents.\n" });
  await talk.say("Three");
  expect(updates(talk.last())[0]).toContain("Of Claude, anew.");
  expect(updates(talk.last())[1]).toContain("Of all agents.");
  expect(updates(talk.last())[1]).not.toContain("Of Claude");
  expectSteady(talk.main());
});

test("D1, I8: a configured glob and a URL are followed; a URL that fails keeps its last copy", async () => {
  let rules = "Rules, first edition.";
  let status = 200;
  const server = Bun.serve({ port: 0, fetch: () => new Response(rules, { status }) });
  try {
    const instructions = ["docs/*.md", `http://127.0.0.1:${server.port}/rules`];
    const talk = await talkIn("configured", {
      "AGENTS.md": "Of the root.\n",
      "docs/style.md": "Of style.\n",
      "opencode.json": JSON.stringify({ instructions }),
    });
    await talk.say("One");
    for (const text of ["Of the root.", "Of style.", rules]) {
      expect(baseline(talk.last())).toContain(text);
    }
    talk.edit({ "docs/more.md": "Of more.\n" });
    await talk.say("Two");
    expect(updates(talk.last())[0]).toContain("Of more.");
    rules = "Rules, second edition.";
    await Bun.sleep(1100);
    await talk.say("Three");
    await talk.say("Four");
    expect(updates(talk.last()).at(-1)).toContain("Rules, second edition.");
    const told = updates(talk.last()).length;
    status = 500;
    await Bun.sleep(1100);
    await talk.say("Five");
    await talk.say("Six");
    expect(updates(talk.last())).toHaveLength(told);
    expectSteady(talk.main());
  } finally {
    await server.stop(true);
  }
});

test("D2: an emptied file is told as empty, and D7: nothing above the project root is read", async () => {
  writeFiles(stage.host.home.projects, { "AGENTS.md": "Above the root.\n" });
  const talk = await talkIn("emptied", { "AGENTS.md": "Of the root.\n" });
  await talk.say("One");
  talk.edit({ "AGENTS.md": "" });
  await talk.say("Two");
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toEndWith("(empty)");
  expect(count(talk.last(), "Above the root.")).toBe(0);
  expectSteady(talk.main());
  stage.join("", stage.host.createClient(stage.host.home.projects)).remove("AGENTS.md");
});

test("E1: a skill that is added, and one that is removed, are told as the whole list anew", async () => {
  const talk = await talkIn("skills", { ".opencode/skills/tidy/SKILL.md": skill("tidy") });
  await talk.say("One");
  expect(baseline(talk.last())).toContain("<name>tidy</name>");
  talk.edit({ ".opencode/skills/sweep/SKILL.md": skill("sweep") });
  await reopen(talk);
  await talk.say("Two");
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toStartWith("The available skills have changed.");
  for (const name of ["tidy", "sweep"]) expect(updates(talk.last())[0]).toContain(`<name>${name}<`);
  talk.remove(".opencode/skills/tidy");
  await reopen(talk);
  await talk.say("Four");
  await talk.say("Five");
  expect(updates(talk.last())).toHaveLength(2);
  expect(updates(talk.last())[1]).not.toContain("<name>tidy<");
  expectSteady(talk.main());
});

test("E2: an agent that may use no skill is told so, and again on the way back", async () => {
  const talk = await talkIn("denied", { ".opencode/skills/tidy/SKILL.md": skill("tidy") });
  await talk.say("One", { agent: "build" });
  await talk.say("Two", { agent: "unskilled" });
  await talk.say("Three", { agent: "unskilled" });
  expect(updates(talk.last())).toEqual([
    "Skill guidance is no longer available. Do not use any previously listed skill.",
  ]);
  await talk.say("Four", { agent: "build" });
  await talk.say("Five", { agent: "build" });
  expect(updates(talk.last())).toHaveLength(2);
  expect(updates(talk.last())[1]).toContain("<name>tidy<");
});

test("E1, E2, E3, E4, E5 (the host's own rules): a first Baseline names the skills that are described and permitted, and without any says nothing of skills", async () => {
  const { client } = await talkIn("permitted", {
    ".opencode/skills/tidy/SKILL.md": skill("tidy"),
    ".opencode/skills/sweep/SKILL.md": skill("sweep"),
    ".opencode/skills/mute/SKILL.md": "---\nname: mute\n---\nDo it.\n",
  });
  const named = async (agent: string) => {
    const talk = await stage.talk(client);
    await talk.say("One", { agent });
    const text = baseline(talk.last());
    const names = [...text.matchAll(/<name>(\w+)<\/name>/g)].map((match) => match[1]);
    return text.includes("Skills provide") ? names.toSorted() : "no guidance";
  };
  expect(await named("build")).toEqual(expect.arrayContaining(["sweep", "tidy"]));
  expect(await named("build")).not.toContain("mute");
  expect(await named("unskilled")).toBe("no guidance");
  expect(await named("tidy-alone")).toEqual(["tidy"]);
  expect(await named("all-but-tidy")).not.toContain("tidy");
  expect(await named("all-but-tidy")).toContain("sweep");
  expect(await named("none-after-all")).toBe("no guidance");
});

test("D9: a folder in the place of AGENTS.md at the start is as if it were not there", async () => {
  const talk = await talkIn("folder", { "CONTEXT.md": "Of context.\n" });
  mkdirSync(join(talk.client.folder, "AGENTS.md"));
  await talk.say("One");
  await talk.say("Two");
  expectSteady(talk.main());
});
