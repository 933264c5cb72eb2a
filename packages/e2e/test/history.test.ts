import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRewrites } from "../src/bench/history/read-rewrites.ts";
import { actualBill } from "../src/billing/ideal.ts";
import { billed } from "../src/provider/record.ts";
import { prefixBreaks } from "../src/wire.ts";
import { baseline, OURS, one, type Stage, type Talk, useStage } from "./conformance/stage.ts";
import { folds, lastLine, middle, outputLine, stubs, texts, work } from "./history-stage.ts";

// A long session in a window of 60,000 tokens, on the real host: with history, and without the plugin.
const folder = mkdtempSync(join(tmpdir(), "session-runtime-history-"));
const clock = join(folder, "clock");
writeFileSync(clock, "0");
afterAll(() => rmSync(folder, { recursive: true }));

const env = { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: clock };
const ours = useStage({
  plugin: [[OURS, { history: { rewrite: "worth" }, recall: { enabled: false } }]],
  env,
});
const stock = useStage({ plugin: [] });

const TURNS = 14;

async function session(stage: Stage): Promise<Talk> {
  const talk = await stage.talk();
  for (let turn = 1; turn <= TURNS; turn++) await work(stage, talk, turn);
  return talk;
}

const paidCalls = (stage: Stage, talk: Talk) =>
  billed([...talk.main(), ...stage.provider.listCalls(talk.id, "compaction")]);
const bill = (stage: Stage, talk: Talk) => actualBill(paidCalls(stage, talk));
const written = (stage: Stage, talk: Talk) =>
  paidCalls(stage, talk).reduce((sum, { usage }) => sum + usage.writeTokens, 0);

test("I22, I23: a session beyond its window is never compacted, costs less than stock, and holds over restart, fold and undo", async () => {
  const [talk, other] = [await session(ours), await session(stock)];

  // It fits, and the host's net is not needed.
  expect(ours.provider.listCalls(talk.id, "compaction")).toEqual([]);
  expect(stock.provider.listCalls(other.id, "compaction").length).toBeGreaterThan(0);
  const [paid, stockPaid] = [bill(ours, talk), bill(stock, other)];
  console.info(`bill ${Math.round(paid)}, stock's ${Math.round(stockPaid)}`);
  expect(paid / stockPaid).toBeLessThan(0.7);

  // Old results have gone, the newest stand, and next to nothing is written twice.
  const before = talk.last();
  expect(stubs(before).length + folds(before).length).toBeGreaterThan(0);
  expect(texts(before).some((text) => text.includes(lastLine(TURNS)))).toBe(true);
  expect(texts(before).some((text) => text.includes(outputLine(1, "a")))).toBe(false);
  expect(written(ours, talk)).toBeLessThan(written(stock, other));

  // I2: a restart sends the same bytes.
  await ours.host.restart({});
  await talk.say("Restarted", middle);
  expect(prefixBreaks([before, talk.last()])).toEqual([]);

  // Once the cache is dead, old work is folded; what was said stands where it stood (I31).
  writeFileSync(clock, String(3_600_000));
  await talk.say("Later", middle);
  expect(folds(talk.last()).length).toBeGreaterThan(1);
  for (let turn = 1; turn <= TURNS; turn++) expect(texts(talk.last())).toContain(`Do turn ${turn}`);
  expect(texts(talk.last()).some((text) => text.includes("The value of turn 3 is 93."))).toBe(true);
  expect(baseline(talk.last())).toContain("You are powered by the model");
  const recorded = await readRewrites(ours.host.home.database, talk.id);
  expect(recorded.at(-1)?.folds).toBeGreaterThan(0);
  expect(recorded.at(-1)?.foldedMessages).toBeGreaterThan(TURNS);
  const folded = talk.last();
  await talk.say("And on", middle);
  expect(prefixBreaks([folded, talk.last()])).toEqual([]);

  // An undo into the fold brings back what stood there before.
  const users = (await talk.client.messages(talk.id)).filter(({ info }) => info.role === "user");
  await talk.client.revert(talk.id, one(users[2]).info.id);
  await talk.say("Another way", middle);
  expect(folds(talk.last()).length).toBeLessThan(3);
  expect(texts(talk.last())).toContain("Do turn 2");
  expect(texts(talk.last())).not.toContain("Do turn 3");
}, 600_000);
