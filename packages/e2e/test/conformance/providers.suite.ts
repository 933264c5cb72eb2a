import { expect, test } from "bun:test";
import { join } from "node:path";
import { MODELS } from "../../src/host/models.ts";
import { rejections } from "../../src/provider/record.ts";
import { call, calls, say } from "../../src/provider/reply.ts";
import { rowTest } from "../long.ts";
import { stage } from "./one-host.ts";
import { expectSteady, history, updates } from "./stage.ts";

// What Anthropic is sent in such a session is recorded to the byte: golden/anthropic.txt.
for (const [name, runs] of [
  ["anthropic", "long-runs"],
  ["chat", "each-run"],
  ["responses", "each-run"],
  ["gemini", "each-run"],
] as const) {
  rowTest(
    runs,
    `J17, I19: ${name} accepts updates, tools, plan mode, an undo and a compaction`,
    async () => {
      const { script } = stage.provider;
      const model = MODELS[name];
      const talk = await stage.talk();
      const read = { name: "read", input: { filePath: join(stage.host.project, "notes.txt") } };
      script.queueFor(talk.id, calls(read, read), say("A note."));
      await talk.say("Read twice", { model });
      talk.edit({ "AGENTS.md": "Be kind.\n" });
      const command = `echo 'Be loud.' > ${join(stage.host.project, "AGENTS.md")}`;
      script.queueFor(talk.id, call("bash", { command, description: "x" }), say("Written."));
      await talk.say("Plan it", { model, agent: "plan" });
      await talk.say("Do it", { model, agent: "build" });
      expectSteady(talk.main());
      expect(updates(talk.last())).toHaveLength(2);
      expect(history(talk.last()).some(({ text }) => text.includes("# Plan Mode"))).toBe(true);

      await talk.undo();
      await talk.say("Do it otherwise", { model, agent: "build" });
      await talk.client.summarize(talk.id, model);
      const before = talk.main().length;
      await talk.say("Go on", { model });
      talk.edit({ "AGENTS.md": "Be bold.\n" });
      await talk.say("And on", { model });
      expectSteady(talk.main().slice(before));
      expect(updates(talk.last())).toHaveLength(1);
      expect(talk.main().map(({ dialect }) => dialect)).toEqual(talk.main().map(() => name));
      expect(rejections(stage.provider.requests)).toEqual([]);
    },
  );
}

test("J2, I19: a template whose roles must alternate takes an update within a loop and one with a prompt", async () => {
  const { script } = stage.provider;
  script.turns = "alternating";
  const model = MODELS.chat;
  const talk = await stage.talk();
  const path = join(stage.host.project, "AGENTS.md");
  const command = `echo 'Be loud.' > ${path}`;
  const read = { name: "read", input: { filePath: join(stage.host.project, "notes.txt") } };
  script.queueFor(
    talk.id,
    call("bash", { command, description: "x" }),
    calls(read, read),
    say("Read."),
  );
  await talk.say("Write it, then read", { model });
  expect(updates(talk.last())).toHaveLength(1);
  expect(talk.last().blocks.at(-1)?.role).toBe("tool");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Go on", { model });
  expect(updates(talk.last())).toHaveLength(2);
  expect(talk.main().map(({ outcome }) => outcome.type)).toEqual(talk.main().map(() => "answered"));
  expectSteady(talk.main());
});

test("J17: one session over all four providers keeps its epoch", async () => {
  const talk = await stage.talk();
  for (const name of ["anthropic", "chat", "responses", "gemini", "anthropic"] as const) {
    await talk.say(`Say it to ${name}`, { model: MODELS[name] });
  }
  const anthropic = talk.main().filter(({ dialect }) => dialect === "anthropic");
  expectSteady(anthropic);
  expect(updates(talk.last())).toHaveLength(4);
});

test("the system text is split in two where the host sets breakpoints, and one elsewhere", async () => {
  const expected = { anthropic: 2, chat: 1, responses: 1, gemini: 1 } as const;
  for (const name of ["anthropic", "chat", "responses", "gemini"] as const) {
    const talk = await stage.talk();
    await talk.say("One", { model: MODELS[name] });
    const system = talk.last().blocks.filter(({ layer }) => layer === "system");
    expect(system).toHaveLength(expected[name]);
    expect(system.every(({ breakpoint }) => breakpoint)).toBe(name === "anthropic");
  }
});
