import { describe, expect, test } from "bun:test";
import { MODELS } from "../src/host/models.ts";
import { allTextIn } from "../src/json.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { rejections } from "../src/provider/record.ts";
import { say } from "../src/provider/reply.ts";
import { expectSteady, type Talk, useStage } from "./conformance/stage.ts";

// I31 Said, over compactions: what the user wrote stands beside the host's summary, in every request after it.

const PLUGIN = `${import.meta.dir}/../../plugin`;
const stage = useStage({ plugin: [PLUGIN] });

const WORDS = "Leave everything below db/migrations alone.";
const OTHERS = "Count money in whole cents,\n  never as a float.";
/** As it stands among the earlier words: each line marked. */
const quoted = (text: string) => text.split("\n").map((line) => `> ${line}`);

async function compacted(): Promise<Talk> {
  const talk = await stage.talk();
  stage.provider.script.respond("compaction", () => say("Some work was done."));
  await talk.say(WORDS);
  await talk.say(OTHERS);
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Go on");
  return talk;
}

function expectSaid(call: CallRecord, ...texts: readonly string[]): void {
  const sent = allTextIn(call.body);
  for (const text of texts) expect(sent).toContain(quoted(text).join("\n"));
  expect(sent.split("<earlier-words>")).toHaveLength(2);
}

describe("I31 Said: after the host's compaction", () => {
  test("prompts and answers of before stand word for word, with the prefix steady, also after a restart", async () => {
    const talk = await compacted();
    const first = talk.main().length - 1;
    expectSaid(talk.last(), WORDS, OTHERS);
    expect(allTextIn(talk.last().body)).toContain("Some work was done.");
    await talk.say("And on");
    await stage.host.restart({});
    await talk.say("Still");
    expectSaid(talk.last(), WORDS, OTHERS);
    expectSteady(talk.main().slice(first));
    expect(rejections(stage.provider.requests)).toEqual([]);
  });

  test("they go over a second one, with what was said in between", async () => {
    const talk = await compacted();
    await talk.client.summarize(talk.id, MODELS.anthropic);
    await talk.say("Once more");
    expectSaid(talk.last(), WORDS, OTHERS, "Go on");
  });

  test("a fork has them", async () => {
    const talk = await compacted();
    const { id } = await talk.client.fork(talk.id);
    await talk.client.prompt(id, "In the fork", { model: MODELS.anthropic });
    const call = stage.provider.listCalls(id, "main").at(-1);
    if (!call) throw new Error("the fork made no call");
    expectSaid(call, WORDS, OTHERS);
  });

  test("an undo of the compaction leaves the words where they were typed, once", async () => {
    const talk = await compacted();
    const messages = await talk.client.messages(talk.id);
    const marker = messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
    await talk.client.revert(talk.id, marker?.info.id ?? "");
    await talk.say("Another way");
    const sent = allTextIn(talk.last().body);
    expect(sent.split(WORDS)).toHaveLength(2);
    expect(sent).not.toContain("<earlier-words>");
  });
});
