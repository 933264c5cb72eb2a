import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deriveRef } from "@session-runtime/opencode/ledger/ref";
import { HostError } from "../src/client/client.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { expectSteady, OURS, one, type Talk, useStage } from "./conformance/stage.ts";
import { errorMessage } from "./ctx-status-stage.ts";
import { folds, middle, outputLine, texts, work } from "./history-stage.ts";

// What the user, the model and the settings keep, on the real host: it stands in its place whatever is folded.
const stage = useStage({
  plugin: [[OURS, { history: { rewrite: "pressure", keep: ["ctx_search", "kept/*.txt"] } }]],
});

/** What the caller reads of a command that was answered without a model call. */
async function command(talk: Talk, name: string, words = ""): Promise<string> {
  const calls = stage.provider.calls.length;
  const answer = await talk.client.command(talk.id, name, words).catch((error) => {
    if (error instanceof HostError) return errorMessage(error);
    throw error;
  });
  expect(stage.provider.calls).toHaveLength(calls);
  return String(answer);
}

/** Whether a command's result is sent in its place, whole. */
function stands(record: CallRecord, turn: number, part: "a" | "b"): boolean {
  const [first, last] = [outputLine(turn, part, 1), outputLine(turn, part, 220)];
  return texts(record).some((text) => text.startsWith(first) && text.includes(last));
}

/** Of the result of a turn's command. */
async function refIn(talk: Talk, turn: number, part: "a" | "b"): Promise<string> {
  const parts = (await talk.client.messages(talk.id)).flatMap((message) => message.parts);
  const made = parts.find((one) => JSON.stringify(one).includes(`check ${turn}${part}`));
  return deriveRef("r", one(made).id);
}

async function worked(turns: number): Promise<Talk> {
  const talk = await stage.talk();
  for (let turn = 1; turn <= turns; turn++) await work(stage, talk, turn);
  return talk;
}

/** The turns of which some result stands. */
function standing(record: CallRecord, turns: number): readonly number[] {
  return Array.from({ length: turns }, (_, at) => at + 1).filter(
    (turn) => stands(record, turn, "a") || stands(record, turn, "b"),
  );
}

test("a kept result survives a fold, a dropped one comes back at the next message; a restart, an undo and a fork keep both", async () => {
  const talk = await worked(6);
  const [first, second] = [await refIn(talk, 1, "b"), await refIn(talk, 2, "a")];
  expect(await command(talk, "ctx-keep")).toContain("Nothing in this session is kept by ref.");
  expect(await command(talk, "ctx-keep", second)).toContain("stays in place");
  expect(await command(talk, "ctx-fold")).toContain("At your next message: ");
  await talk.say("Folded?", middle);
  expect(stands(talk.last(), 2, "a")).toBe(true);
  expect([stands(talk.last(), 1, "b"), stands(talk.last(), 2, "b")]).toEqual([false, false]);
  expect(folds(talk.last()).length).toBeGreaterThan(1);

  // What is folded comes back, and the work around it stays folded.
  expect(await command(talk, "ctx-keep", first)).toContain("At your next message ");
  await talk.say("Back?", middle);
  expect([stands(talk.last(), 1, "b"), stands(talk.last(), 2, "a")]).toEqual([true, true]);
  expect(stands(talk.last(), 3, "a")).toBe(false);
  const listed = await command(talk, "ctx-keep");
  expect(listed).toContain(`- ${first}: the result of bash seq`);
  expect(listed).toContain(`- ${second}: the result of bash seq`);

  await stage.host.restart({});
  const calls = talk.main().length;
  await talk.say("Restarted", middle);
  expectSteady(talk.main().slice(calls - 1));
  await talk.say("Said more", middle);
  const messages = await talk.client.messages(talk.id);
  const last = messages.findLast(({ info }) => info.role === "user");
  await talk.client.revert(talk.id, one(last).info.id);
  await talk.say("Another way", middle);
  expect([stands(talk.last(), 1, "b"), stands(talk.last(), 2, "a")]).toEqual([true, true]);

  // A fork's parts have other ids.
  const fork = stage.join((await talk.client.fork(talk.id)).id);
  await fork.say("Forked", middle);
  expect(await command(fork, "ctx-fold", "anyway")).toContain("At your next message: ");
  await fork.say("Folded?", middle);
  expect(standing(fork.last(), 4)).toEqual([1, 2]);
  expect([stands(fork.last(), 1, "b"), stands(fork.last(), 2, "a")]).toEqual([true, true]);

  // Released, it goes with the next fold; the other stays.
  expect(await command(talk, "ctx-keep", `--drop ${second}`)).toContain("may be dropped again");
  for (let turn = 7; turn <= 9; turn++) await work(stage, talk, turn);
  expect(stands(talk.last(), 2, "a")).toBe(true);
  await command(talk, "ctx-fold", "anyway");
  await talk.say("Folded again?", middle);
  expect([stands(talk.last(), 1, "b"), stands(talk.last(), 2, "a")]).toEqual([true, false]);
}, 600_000);

test("what the model keeps by ctx_expand stands in its place after the next fold", async () => {
  const talk = await worked(5);
  await command(talk, "ctx-fold");
  await talk.say("Folded?", middle);
  const ref = await refIn(talk, 1, "a");
  expect(stands(talk.last(), 1, "a")).toBe(false);
  stage.provider.script.queueFor(talk.id, call("ctx_expand", { ref, keep: true }), say("I see."));
  await talk.say("Look at it again", middle);
  const shown = texts(talk.last()).find((text) => text.includes("Kept: "));
  expect(shown).toContain("returns to its place when older history is next rewritten");
  for (let turn = 6; turn <= 9; turn++) await work(stage, talk, turn);
  await command(talk, "ctx-fold", "anyway");
  await talk.say("And now?", middle);
  expect(standing(talk.last(), 5)).toEqual([1]);
  expect(await command(talk, "ctx-keep")).toContain(`- ${ref}: the result of bash seq`);
}, 600_000);

test("results of a tool and of files that the settings name stay", async () => {
  const folder = join(stage.host.project, "kept");
  mkdirSync(folder, { recursive: true });
  const lines = (name: string) =>
    Array.from({ length: 200 }, (_, line) => `${name} line ${line} of the file`).join("\n");
  for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.txt`), lines(name));
  writeFileSync(join(stage.host.project, "loose.txt"), lines("loose"));
  const talk = await stage.talk();
  stage.provider.script.queueFor(
    talk.id,
    call("read", { filePath: join(folder, "one.txt") }),
    call("bash", { command: "cat kept/two.txt", description: "show two" }),
    call("read", { filePath: join(stage.host.project, "loose.txt") }),
    call("ctx_search", { query: "loose line 150" }),
    say("I have read them."),
  );
  await talk.say("Read the files", middle);
  for (let turn = 1; turn <= 4; turn++) await work(stage, talk, turn);
  await command(talk, "ctx-fold");
  await talk.say("Folded?", middle);
  const sent = texts(talk.last());
  const has = (line: string) => sent.filter((text) => text.includes(line)).length;
  expect([has("one line 150 of"), has("two line 150 of")]).toEqual([1, 1]);
  expect([has("Nothing found in this session"), has("loose line 88 of")]).toEqual([1, 0]);
  expect(standing(talk.last(), 2)).toEqual([]);
  expect(await command(talk, "ctx-keep")).toContain(
    "By `history.keep`, results of: ctx_search, kept/*.txt.",
  );
}, 600_000);

test("`/ctx-fold before 3` folds all work before the third-last prompt and nothing after; `before` lists the prompts", async () => {
  const talk = await worked(6);
  const listed = await command(talk, "ctx-fold", "before");
  expect(listed).toMatch(/1\. “Do turn 6”: spares about [\d,]+ tokens/);
  expect(listed).toMatch(/3\. “Do turn 4”: spares about [\d,]+ tokens/);
  expect(listed).toContain("6. “Do turn 1”: nothing to fold");
  expect(await command(talk, "ctx-fold", "before 3")).toContain("At your next message: 6 messages");
  await talk.say("Folded?", middle);
  expect(standing(talk.last(), 6)).toEqual([4, 5, 6]);
  expect(stands(talk.last(), 4, "a") && stands(talk.last(), 4, "b")).toBe(true);
  expect(await command(talk, "ctx-fold", "before 99")).toContain(
    "This session has fewer than 99 prompts.",
  );
}, 600_000);
