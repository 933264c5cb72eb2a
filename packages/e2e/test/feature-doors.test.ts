import { expect, test } from "bun:test";
import { join } from "node:path";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, one, type Talk, useStage } from "./conformance/stage.ts";

// A feature of the tests uses every door, on the real host.
const stage = useStage({
  plugin: [OURS],
  env: {
    SESSION_RUNTIME_TEST: "1",
    SESSION_RUNTIME_TEST_FEATURE: join(
      import.meta.dir,
      "../fixtures/features/every-door/feature.ts",
    ),
  },
});

/** What the model is sent back for one call of the tool. */
async function asked(talk: Talk, input: Readonly<Record<string, string | number>>) {
  stage.provider.script.queueFor(talk.id, call("door_ask", input), say("Done."));
  await talk.say("Ask the door");
  return one(history(talk.last()).at(-1)).text;
}

function offered(talk: Talk) {
  const tools = talk.last().body.tools as readonly { readonly name: string }[];
  return tools.find(({ name }) => name === "door_ask");
}

test("tool: it is offered with its schema, optional arguments are optional, and its answer is on the wire", async () => {
  const talk = await stage.talk();
  const text = await asked(talk, { what: "echo", text: "knock ", times: 2 });
  expect(text).toBe(`build in ${talk.client.folder}: knock knock `);
  expect(offered(talk)).toMatchObject({
    description: "Ask the door.",
    input_schema: {
      type: "object",
      properties: {
        what: { type: "string", enum: ["echo", "fail", "wait"], description: "what it does" },
        text: { type: "string" },
        times: { type: "integer", minimum: 1, maximum: 3 },
      },
      required: ["what"],
    },
  });
  expect(await asked(talk, { what: "echo" })).toEndWith(": nothing");
});

test("tool: arguments that don't fit are answered in words that the model can follow", async () => {
  const talk = await stage.talk();
  expect(await asked(talk, { text: "x" })).toContain("The argument what is missing");
  expect(await asked(talk, { what: "shout" })).toContain('one of "echo", "fail", "wait"');
  expect(await asked(talk, { what: "echo", times: 4 })).toContain("an integer from 1 to 3");
  expect(await asked(talk, { what: "echo", loud: 1 })).toContain('no argument "loud"');
});

test("I15: a tool that fails says so in a sentence, and the turn goes on", async () => {
  const talk = await stage.talk();
  const text = await asked(talk, { what: "fail" });
  expect(text).toContain("door_ask failed");
  expect(text).not.toContain("stuck");
  expect(await asked(talk, { what: "echo", text: "still here" })).toContain("still here");
});

test("tool: the user's stop reaches it", async () => {
  const talk = await stage.talk();
  stage.provider.script.queueFor(talk.id, call("door_ask", { what: "wait" }));
  const turn = await talk.client.promptAsync(talk.id, "Wait at the door");
  await running(talk);
  await talk.client.abort(talk.id);
  await turn.settled;
  const states = (await talk.client.messages(talk.id))
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "tool" ? [part.state.status] : []));
  expect(states).toEqual(["error"]);
  expect(await asked(talk, { what: "echo", text: "after" })).toContain("after");
});

async function running(talk: Talk): Promise<void> {
  for (;;) {
    const parts = (await talk.client.messages(talk.id)).flatMap((message) => message.parts);
    if (parts.some((part) => part.type === "tool" && part.state.status === "running")) return;
    await Bun.sleep(50);
  }
}

test("tool: where a permission denies it, it is not offered", async () => {
  const folder = stage.host.addProject("denied", {
    "opencode.json": JSON.stringify({ permission: { door_ask: "deny" } }),
  });
  const talk = await stage.talk(stage.host.clientOf(folder));
  await talk.say("Hello");
  expect(offered(talk)).toBeUndefined();
});
