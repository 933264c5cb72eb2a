import { expect, test } from "bun:test";
import { OURS, useStage } from "./conformance/stage.ts";
import { folds, middle, queueWork, stubs, texts } from "./history-stage.ts";

// An agent without `ctx_search` and `ctx_expand` on the real host: no text of ours names them to it.
const stage = useStage({
  plugin: [[OURS, { memory: { enabled: false } }]],
  config: { agent: { mute: { mode: "primary", permission: { "ctx_*": "deny" } } } },
});

const TURNS = 14;

async function session(agent: string) {
  const talk = await stage.talk();
  for (let turn = 1; turn <= TURNS; turn++) {
    queueWork(stage, talk, turn);
    await talk.say(`Do turn ${turn}`, { ...middle, agent });
  }
  return talk.last();
}

test("what goes names no tool that the call lacks, and the same history of another agent names it", async () => {
  const [build, mute] = [await session("build"), await session("mute")];
  for (const sent of [build, mute]) {
    expect(stubs(sent).length + folds(sent).length).toBeGreaterThan(0);
  }
  expect(texts(build).join("\n")).toMatch(/ctx_(?:expand|search)/);
  expect(JSON.stringify(mute.body)).not.toContain("ctx_");
  const gone = texts(mute).filter((text) => text.includes("not shown any more"));
  for (const text of gone) expect(text).toMatch(/\(r:\w{6}\)/);
}, 300_000);
