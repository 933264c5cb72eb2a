import { expect, test } from "bun:test";
import { MODELS } from "../src/host/models.ts";
import { rejections } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { expectGolden, transcript } from "./conformance/golden.ts";
import { OURS, type Talk, useStage } from "./conformance/stage.ts";

// What each provider is sent of a session whose work is folded: words in their roles, records in the user's messages.
const history = { rewrite: "pressure", keepTokens: 500 };
const stage = useStage({ plugin: [[OURS, { history, memory: { enabled: false } }]] });

const LINES = 150;

/** A command whose output is long enough to be folded, and an answer. */
async function work(talk: Talk, turn: number, model: object): Promise<void> {
  const command = `seq -f 'turn ${turn}: row %g of the ledger holds' 1 ${LINES}`;
  const description = `check ${turn}`;
  stage.provider.script.queueFor(
    talk.id,
    call("bash", { command, description }),
    say(`Turn ${turn} is done.`),
  );
  await talk.say(`Check turn ${turn}, and leave the migrations alone`, model);
}

async function fold(talk: Talk): Promise<void> {
  // A command of ours is answered without a model call, which the host's client gets as an error.
  await talk.client.command(talk.id, "ctx-fold", "").catch(() => undefined);
}

test.each(["anthropic", "chat", "responses", "gemini"] as const)(
  "I31, I23: on the wire of %s a record ends the user's message before its work, which stays as it was, as recorded",
  async (name) => {
    const model = { model: MODELS[name] };
    // Of chat completions it refuses two messages of the user's in a row.
    stage.provider.script.turns = "alternating";
    const talk = await stage.talk();
    for (const turn of [1, 2, 3]) await work(talk, turn, model);
    await fold(talk);
    await talk.say("Go on", model);
    for (const turn of [4, 5]) await work(talk, turn, model);
    await fold(talk);
    await talk.say("And on", model);
    const calls = talk.main();
    expect(rejections(stage.provider.requests)).toEqual([]);
    expectGolden(`folded-${name}.txt`, transcript(stage, talk, calls.slice(5)));
  },
);
