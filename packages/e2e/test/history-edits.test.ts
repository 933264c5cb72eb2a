import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actualBill, idealWithoutCredit } from "../src/billing/ideal.ts";
import { MODELS } from "../src/host/models.ts";
import { billed, type CallRecord } from "../src/provider/record.ts";
import { call, fail, say } from "../src/provider/reply.ts";
import { firstDifference } from "../src/wire.ts";
import {
  baseline,
  expectSteady,
  history,
  OURS,
  one,
  PATIENT,
  type Talk,
  updates,
  useStage,
} from "./conformance/stage.ts";

// A feature of the tests drops and folds under pressure: the whole path, on the real host.
const folder = mkdtempSync(join(tmpdir(), "session-runtime-wish-"));
const wishFile = join(folder, "wish");
const stage = useStage({
  // A policy of the test's own decides here.
  plugin: [[OURS, { history: { rewrite: "off" }, ...PATIENT }]],
  env: {
    SESSION_RUNTIME_TEST: "1",
    SESSION_RUNTIME_TEST_FEATURE: join(import.meta.dir, "../fixtures/features/history.ts"),
    SESSION_RUNTIME_TEST_WISH: wishFile,
  },
});

/** Of the small model's 20,000 tokens, that much is under pressure. */
const OUTPUT_CHARS = 30_000;
const small = { model: MODELS.small };

function wish(what: "drop" | "fold" | "nothing"): void {
  writeFileSync(wishFile, what);
}

const texts = (record: CallRecord) => history(record).map(({ text }) => text);
const folds = (record: CallRecord) => texts(record).filter((text) => text.startsWith("[folded "));
const drops = (record: CallRecord) => texts(record).filter((text) => text.startsWith("[dropped "));

/** A prompt whose turn runs a command with a long output, then answers. */
async function work(talk: Talk, name: string): Promise<void> {
  const command = `head -c ${OUTPUT_CHARS} /dev/zero | tr '\\0' '${name}'`;
  stage.provider.script.queueFor(
    talk.id,
    call("bash", { command, description: name }),
    say(`Did ${name}.`),
  );
  await talk.say(`Do ${name}`, small);
}

/** Talks until the next call is under pressure, which `what` answers. */
async function pressed(what: "drop" | "fold"): Promise<Talk> {
  wish(what);
  const talk = await stage.talk();
  await talk.say("Begin", small);
  await work(talk, "a");
  await talk.say("Between", small);
  await work(talk, "b");
  await talk.say("After", small);
  return talk;
}

test("obstacle 5: results are dropped under pressure, in one rewrite, and no compaction of the host's follows", async () => {
  const talk = await pressed("drop");
  const rewritten = talk.main().findIndex((record) => drops(record).length > 0);
  expect(rewritten).toBeGreaterThan(2);
  expectSteady(talk.main().slice(0, rewritten));
  expectSteady(talk.main().slice(rewritten));
  expect(stage.provider.listCalls(talk.id, "compaction")).toEqual([]);
  await stage.host.restart({});
  await talk.say("More", small);
  expectSteady(talk.main().slice(rewritten));
});

test("obstacle 2, 3: a fold is sent with its own call, opens an epoch, and outlives a restart and a retry", async () => {
  const talk = await pressed("fold");
  const folded = talk.main().findIndex((record) => folds(record).length > 0);
  const [before, first] = [one(talk.main()[folded - 1]), one(talk.main()[folded])];
  expectSteady(talk.main().slice(0, folded));
  expect(texts(first).some((text) => text.startsWith("aaa"))).toBe(false);
  // Nothing of the world changed, so that tools, preamble and Baseline are read from the cache.
  expect(baseline(first)).toBe(baseline(before));
  await stage.host.restart({});
  stage.provider.script.queueFor(talk.id, fail(429), say("Done."));
  await talk.say("More", small);
  expectSteady(talk.main().slice(folded));
});

test("I28: news in a folded range are part of the new Baseline, once", async () => {
  wish("nothing");
  const talk = await stage.talk();
  await talk.say("Begin", small);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("News", small);
  expect(updates(talk.last())).toHaveLength(1);
  await work(talk, "a");
  await talk.say("Between", small);
  wish("fold");
  await work(talk, "b");
  await talk.say("After", small);
  expect(folds(talk.last())).toHaveLength(1);
  expect(updates(talk.last())).toEqual([]);
  expect(baseline(talk.last())).toContain("Be kind.");
});

test("obstacle 9: an undo into a fold brings the former epoch back; a redo keeps the fold", async () => {
  const talk = await pressed("fold");
  const raw = one(talk.main()[3]);
  await talk.undo();
  await talk.client.unrevert(talk.id);
  await talk.say("Redone", small);
  expect(folds(talk.last())).toHaveLength(1);
  wish("nothing");
  const users = (await talk.client.messages(talk.id)).filter(({ info }) => info.role === "user");
  await talk.client.revert(talk.id, one(users[1]).info.id);
  await talk.say("Other", small);
  expect(folds(talk.last())).toEqual([]);
  expect(firstDifference(one(talk.main()[0]), talk.last())).toBeUndefined();
  expect(baseline(talk.last())).toBe(baseline(raw));
});

test("obstacle 4: a compaction after a fold is shown the fold, and not what it folded", async () => {
  const talk = await pressed("fold");
  await talk.client.summarize(talk.id, MODELS.small);
  const [compaction] = stage.provider.listCalls(talk.id, "compaction");
  const sent = JSON.stringify(one(compaction).body);
  expect(sent).toContain("[folded ");
  expect(sent).not.toContain("aaaaaaaaaa");
});

test("obstacle 3: a fold holds over a switch of model, and a fork goes on with the whole", async () => {
  const talk = await pressed("fold");
  const folded = folds(talk.last());
  wish("nothing");
  await talk.say("Other model", { model: MODELS.second });
  expect(folds(talk.last())).toEqual([...folded]);
  const fork = stage.join((await talk.client.fork(talk.id)).id);
  await fork.say("Forked", { model: MODELS.second });
  expect(folds(fork.last())).toEqual([]);
  await fork.say("Again", { model: MODELS.second });
  expectSteady(fork.main());
});

test("obstacle 3: a fold holds over a move and the way back", async () => {
  const talk = await pressed("fold");
  const folded = folds(talk.last());
  wish("nothing");
  const here = stage.host.project;
  const there = join(here, "packages/there");
  mkdirSync(there, { recursive: true });
  const move = (directory: string) =>
    talk.client.request("POST", "/experimental/control-plane/move-session", {
      sessionID: talk.id,
      destination: { directory },
    });
  await move(there);
  const moved = stage.join(talk.id, stage.host.createClient(there));
  await moved.say("There", small);
  expect(baseline(moved.last())).toContain(`Working directory: ${there}`);
  expect(folds(moved.last())).toEqual([...folded]);
  await moved.say("There again", small);
  await move(here);
  await talk.say("Here", small);
  expect(baseline(talk.last())).toContain(`Working directory: ${here}`);
  expect(folds(talk.last())).toEqual([...folded]);
});

test("a session that is folded pays the ideal bill, the fold counted as new writes", async () => {
  const talk = await pressed("fold");
  for (const text of ["One", "Two", "Three", "Four"]) await talk.say(text, small);
  const calls = billed(talk.main());
  const isFold = ({ index }: CallRecord) =>
    index === talk.main().find((record) => folds(record).length > 0)?.index;
  expect(calls.filter(isFold)).toHaveLength(1);
  expect(actualBill(calls) / idealWithoutCredit(calls, isFold)).toBeLessThan(1.02);
});
