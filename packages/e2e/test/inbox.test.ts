import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { HostError, type PromptSettings } from "../src/client/client.ts";
import { call, fail, held, makeGate, say } from "../src/provider/reply.ts";
import {
  allAnswered,
  inputs,
  noteTexts,
  refusal,
  run,
  sentTexts,
  states,
  useInboxHost,
  userTexts,
} from "./inbox-stage.ts";

const STEPPER = { mode: "primary", steps: 2, prompt: "You take two steps." };

const bench = useInboxHost({ config: { agent: { stepper: STEPPER } } });

/** A session whose turn is held at the provider. */
async function busy(settings: PromptSettings = {}) {
  const { host, provider } = bench();
  const { id } = await host.client.createSession();
  const gate = makeGate();
  provider.script.queueFor(id, held(gate, say("Done with it.")));
  const turn = await host.client.promptAsync(id, "First", settings);
  await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
  return { id, gate, turn, client: host.client };
}

describe("the queue on the real host", () => {
  test("G5: what is queued while the session is busy is sent singly, in order, when it has settled", async () => {
    const { id, gate, client } = await busy();
    expect(await run(client, id, "ctx-queue", "Second")).toContain("Queued as number 1");
    await run(client, id, "ctx-queue", "Third, with $1 and `ticks`");
    await run(client, id, "ctx-queue", "Fourth, with @notes.txt");
    expect(await run(client, id, "ctx-queue")).toContain("   1  Second\n   2  Third");
    await Bun.sleep(300);
    expect(userTexts(await client.messages(id))).toEqual(["First"]);
    gate.open();
    await allAnswered(bench(), id);
    const texts = userTexts(await client.messages(id));
    expect(texts.slice(0, 3)).toEqual(["First", "Second", "Third, with $1 and `ticks`"]);
    expect(texts[3]).toContain("Fourth, with @notes.txt");
    expect(texts[3]?.split("1: A first note.")).toHaveLength(2);
    expect(sentTexts(bench(), id)).toHaveLength(4);
  });

  test("G8: the step allowance starts anew with each promoted prompt", async () => {
    const { host, provider } = bench();
    const { id, gate, client } = await busy({ agent: "stepper" });
    await run(client, id, "ctx-queue", "Second");
    const read = call("read", { filePath: join(host.project, "notes.txt") });
    provider.script.queueFor(id, read, say("Read it."));
    gate.open();
    await allAnswered(bench(), id);
    const calls = provider.listCalls(id, "main");
    expect(calls).toHaveLength(3);
    const last = "maximum steps";
    expect(JSON.stringify(calls[1]?.body).toLowerCase()).not.toContain(last);
    expect(JSON.stringify(calls[2]?.body).toLowerCase()).toContain(last);
  });

  test("agent and model are those of the session's newest prompt", async () => {
    const { host } = bench();
    const { id } = await host.client.createSession();
    const chosen = { agent: "plan", model: { providerID: "anthropic", modelID: "claude-second" } };
    await host.client.prompt(id, "Plan", chosen);
    expect(await run(host.client, id, "ctx-queue", "Go on")).toContain("sent now");
    await allAnswered(bench(), id);
    const newest = (await host.client.messages(id)).findLast(({ info }) => info.role === "user");
    expect(newest?.info).toMatchObject(chosen);
    expect(newest?.info.id).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
  });

  test("G6: it survives an interruption: held, and sent when the user says so", async () => {
    const { id, client } = await busy();
    await run(client, id, "ctx-queue", "Second");
    await client.promptAsync(id, "A steer");
    await eventually("the steer is saved", async () => (await client.messages(id)).length === 3);
    expect(await run(client, id, "ctx-interrupt")).toContain("Stopped.");
    expect(await run(client, id, "ctx-interrupt")).toContain("Nothing is running");
    await Bun.sleep(500);
    expect(states(bench(), id)).toEqual(["promoted", "waiting", "saved"]);
    expect(bench().provider.listCalls(id, "main")).toHaveLength(1);
    expect(await run(client, id, "ctx-resume")).toContain("Nothing is sent twice.");
    await allAnswered(bench(), id);
    expect(userTexts(await client.messages(id))).toEqual(["First", "A steer", "Second"]);
    expect(sentTexts(bench(), id).slice(1)).toEqual([
      ["First", "A steer"],
      ["First", "A steer", "Second"],
    ]);
  });

  test("without a panel answers stay as notes: at once in an idle session, when it has settled in a busy one; the model gets none", async () => {
    const { id, gate, client } = await busy();
    await run(client, id, "ctx-queue", "Second");
    await run(client, id, "ctx-queue", "edit 1 Zwei");
    await run(client, id, "ctx-queue", "edit 1");
    expect(await client.messages(id)).toHaveLength(2);
    gate.open();
    await allAnswered(bench(), id);
    await client.waitIdle(id);
    const [kept = ""] = noteTexts(await client.messages(id));
    expect(kept).toStartWith("Prompt 1 has the new text.\n\n`edit 1` was not understood");
    await run(client, id, "ctx-queue");
    await run(client, id, "ctx-interrupt");
    await run(client, id, "ctx-resume");
    const notes = noteTexts(await client.messages(id));
    expect(notes.map((text) => text.split("\n")[0]).slice(1)).toEqual([
      "The queue is empty.",
      "Nothing is running in this session, so nothing was stopped.",
      "Nothing to continue: every prompt of this session is answered, and none waits.",
    ]);
    await run(client, id, "ctx-queue", "Third");
    await allAnswered(bench(), id);
    expect(sentTexts(bench(), id).at(-1)).toEqual(["First", "Zwei", "Third"]);
    expect(noteTexts(await client.messages(id))).toEqual(notes);
  });

  test("a note after an interruption leaves the queue held", async () => {
    const { id, client } = await busy();
    await run(client, id, "ctx-queue", "Second");
    await run(client, id, "ctx-interrupt");
    await eventually("the note is there", async () =>
      noteTexts(await client.messages(id)).some((text) => text.startsWith("Stopped.")),
    );
    await run(client, id, "ctx-queue");
    await Bun.sleep(1_500);
    expect(states(bench(), id)).toEqual(["promoted", "waiting"]);
    expect(bench().provider.listCalls(id, "main")).toHaveLength(1);
  });

  test("what waits stands in the brief of a compaction, and waits on", async () => {
    const { id, client } = await busy();
    await run(client, id, "ctx-queue", "Then write the docs");
    await run(client, id, "ctx-interrupt");
    await client.summarize(id, { providerID: "anthropic", modelID: "claude-mock" });
    const [compaction] = bench().provider.listCalls(id, "compaction");
    expect(JSON.stringify(compaction?.body)).toMatch(
      /Queued prompt: [^\n]{0,4}Then write the docs/,
    );
    expect(states(bench(), id)).toContain("waiting");
  });

  test("a turn that fails for good holds the queue", async () => {
    const { id, gate, client } = await busy();
    await run(client, id, "ctx-queue", "Second");
    await run(client, id, "ctx-queue", "Third");
    bench().provider.script.queueFor(id, fail(400));
    gate.open();
    await eventually("the second has failed", () => states(bench(), id)[1] === "promoted");
    await client.waitIdle(id);
    await Bun.sleep(300);
    expect(states(bench(), id)).toEqual(["answered", "promoted", "waiting"]);
    await run(client, id, "ctx-resume");
    await allAnswered(bench(), id);
    expect(userTexts(await client.messages(id))).toEqual(["First", "Second", "Third"]);
  });
});

describe("admission on the real host", () => {
  test("G1: the row is there when the first call arrives; G2: it is promoted once, and then answered", async () => {
    const { id, gate, client } = await busy();
    await eventually("promoted", () => states(bench(), id)[0] === "promoted");
    const [row] = inputs(bench(), id);
    expect(row?.id).toBe(String((await client.messages(id))[0]?.info.id));
    gate.open();
    await allAnswered(bench(), id);
    await client.prompt(id, "Go on");
    await allAnswered(bench(), id);
    expect(inputs(bench(), id)[0]?.promoted_at_ms).toBe(Number(row?.promoted_at_ms));
  });

  test("G3: an exact retry over HTTP adds no part and no call", async () => {
    const { client } = bench().host;
    const { id } = await client.createSession();
    const messageID = "msg_00000000000100000000000000";
    await client.prompt(id, "Hello", { messageID });
    const before = await client.messages(id);
    await client.prompt(id, "Hello", { messageID });
    const after = await client.messages(id);
    expect(after.map(({ info, parts }) => [info.id, info.time.created, parts.length])).toEqual(
      before.map(({ info, parts }) => [info.id, info.time.created, parts.length]),
    );
    expect(bench().provider.listCalls(id, "main")).toHaveLength(1);
    expect(inputs(bench(), id)).toHaveLength(1);
  });

  test("G3: an exact retry of an interrupted prompt runs again, and appends nothing", async () => {
    const { host, provider } = bench();
    const { client } = host;
    const { id } = await client.createSession();
    const messageID = "msg_00000000000200000000000000";
    provider.script.queueFor(id, held(makeGate(), say("Never.")));
    await client.promptAsync(id, "Hello", { messageID });
    await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
    await client.abort(id);
    await client.waitIdle(id);
    await client.prompt(id, "Hello", { messageID });
    expect(userTexts(await client.messages(id))).toEqual(["Hello"]);
    expect(sentTexts(bench(), id)).toEqual([["Hello"], ["Hello"]]);
    await allAnswered(bench(), id);
  });

  test("G4: another prompt, or another session, under one id is an error that says so", async () => {
    const { client } = bench().host;
    const { id } = await client.createSession();
    const other = await client.createSession();
    const messageID = "msg_00000000000300000000000000";
    await client.prompt(id, "Hello", { messageID });
    expect(await refusal(client.prompt(id, "Another", { messageID }))).toContain(
      `400 The message id ${messageID} is already used by a different prompt of this session. Nothing was stored or sent.`,
    );
    expect(await refusal(client.prompt(other.id, "Hello", { messageID }))).toContain(
      "already used by a prompt of another session",
    );
    expect(userTexts(await client.messages(id))).toEqual(["Hello"]);
    expect(await client.messages(other.id)).toEqual([]);
    expect(inputs(bench(), id)).toHaveLength(1);
    expect(inputs(bench(), other.id)).toHaveLength(0);
  });

  test("G7: a prompt without a reply is recorded and calls no model; G9: our reports are no admissions", async () => {
    const { client } = bench().host;
    const { id } = await client.createSession();
    await client.prompt(id, "Hello");
    await client.prompt(id, "For the record", { noReply: true, agent: "build" });
    await eventually("recorded", () => states(bench(), id)[1] === "recorded");
    await run(client, id, "ctx-status");
    await Bun.sleep(200);
    expect(inputs(bench(), id)).toHaveLength(2);
    expect(await run(client, id, "ctx-resume")).toContain("Nothing to continue");
    expect(bench().provider.listCalls(id, "main")).toHaveLength(1);
  });

  test("G9: a compaction's rows are no admissions, and the prompt whose work it cut is answered behind it", async () => {
    const { host, provider } = bench();
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "One");
    await host.client.summarize(id, { providerID: "anthropic", modelID: "claude-mock" });
    await host.client.prompt(id, "Two");
    await allAnswered(bench(), id);
    expect(inputs(bench(), id)).toHaveLength(2);
    expect(provider.listCalls(id, "compaction")).toHaveLength(1);
  });

  test("what the user takes back is undone, and not offered again", async () => {
    const { client } = bench().host;
    const { id } = await client.createSession();
    await client.prompt(id, "Hello");
    bench().provider.script.queueFor(id, fail(400));
    await client.promptAsync(id, "Wrong");
    await eventually("it failed", () => states(bench(), id)[1] === "promoted");
    await client.waitIdle(id);
    const messages = await client.messages(id);
    // The idle event comes before the host lets go of the turn: until then it refuses to undo.
    await eventually("the host undoes the prompt", () =>
      client.revert(id, String(messages[2]?.info.id)).then(
        () => true,
        (error) => {
          if (error instanceof HostError) return false;
          throw error;
        },
      ),
    );
    expect(await run(client, id, "ctx-resume")).toContain(
      "The undone messages can still be redone",
    );
    await client.prompt(id, "Right");
    await eventually("undone", () => states(bench(), id)[1] === "undone");
    expect(userTexts(await client.messages(id))).toEqual(["Hello", "Right"]);
  });
});
