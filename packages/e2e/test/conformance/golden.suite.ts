import { test } from "bun:test";
import { join } from "node:path";
import { MODELS, type ModelRef } from "../../src/host/models.ts";
import { call, calls, fail, say } from "../../src/provider/reply.ts";
import { expectGolden, transcript } from "./golden.ts";
import { stage } from "./one-host.ts";
import { expectSteady, type Talk } from "./stage.ts";

/** Turns, tools, edits, plan mode, a failed attempt, a restart, an undo, a compaction. */
async function play(talk: Talk): Promise<void> {
  const { script } = stage.provider;
  const read = { name: "read", input: { filePath: join(talk.client.folder, "notes.txt") } };
  script.queueFor(talk.id, calls(read), say("It holds a note."));
  await talk.say("Read the notes");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  script.queueFor(talk.id, fail(529), say("Gladly."));
  await talk.say("Go on");
  await talk.say("Plan it", { agent: "plan" });
  const command = `echo 'Be loud.' > ${join(talk.client.folder, "AGENTS.md")}`;
  script.queueFor(talk.id, call("bash", { command, description: "Write it" }), say("Written."));
  await talk.say("Do it", { agent: "build" });
  await stage.host.restart({});
  talk.remove("AGENTS.md");
  await talk.say("Now without");
  await talk.undo();
  await talk.say("Now without, once more", { model: MODELS.second });
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("What is left?", { model: MODELS.anthropic });
  talk.edit({ "AGENTS.md": "Be brief.\n" });
  await talk.say("And now?");
}

test("I1, I4, I5, I10, I11, I14: the wire of a session of all kinds is as recorded", async () => {
  const folder = stage.host.addProject("golden", {
    "AGENTS.md": "Answer in short sentences.\n",
    "notes.txt": "A first note.\n",
  });
  const talk = await stage.talk(stage.host.createClient(folder));
  await play(talk);
  const ours = stage.provider.calls.filter(({ session }) => session === talk.id);
  expectGolden("anthropic.txt", transcript(stage, talk, ours));
});

/** An update after a tool result, one after a prompt, and a turn that finds both in place. */
async function playShort(talk: Talk, model: ModelRef): Promise<void> {
  const command = `echo 'Be kind.' > ${join(talk.client.folder, "AGENTS.md")}`;
  const write = call("bash", { command, description: "Write it" });
  stage.provider.script.queueFor(talk.id, write, say("Written."));
  await talk.say("Write it", { model });
  talk.edit({ "AGENTS.md": "Be loud.\n" });
  await talk.say("Go on", { model });
  await talk.say("And on", { model });
}

test.each(["chat", "responses", "gemini"] as const)(
  "J17, I1, I4, I5: the wire of %s has its updates in place, as recorded",
  async (name) => {
    const folder = stage.host.addProject(`golden-${name}`, {
      "AGENTS.md": "Answer in short sentences.\n",
    });
    const talk = await stage.talk(stage.host.createClient(folder));
    await playShort(talk, MODELS[name]);
    expectSteady(talk.main());
    expectGolden(`${name}.txt`, transcript(stage, talk, talk.main()));
  },
);
