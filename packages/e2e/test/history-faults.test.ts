import { expect, test } from "bun:test";
import { readRewrites } from "../src/bench/history/read-rewrites.ts";
import { sumTokens } from "../src/block.ts";
import { MIDDLE_TOKENS } from "../src/host/models.ts";
import { call, fail, say } from "../src/provider/reply.ts";
import { prefixBreaks } from "../src/wire.ts";
import { OURS, one, type Talk, useStage } from "./conformance/stage.ts";
import { lastLine, middle, outputLine, queueWork, texts, work } from "./history-stage.ts";

// A long session with a refused call, a kill and a restart in it, on the real host.
const stage = useStage({
  plugin: [[OURS, { history: { rewrite: "worth" }, recall: { enabled: true } }]],
});
const TURNS = 10;
const REFUSED_IN = 4;
const KILLED_IN = 6;
const RESTARTED_BEFORE = 8;

/** The host dies as a turn's second call is sent; a prompt goes on with the turn. */
async function killedWork(talk: Talk, turn: number): Promise<void> {
  queueWork(stage, talk, turn);
  const before = talk.main().length;
  const broken = talk.say(`Do turn ${turn}`, middle).catch(() => "the host was killed");
  await stage.provider.arrival(
    ({ session, kind }) =>
      session === talk.id && kind === "main" && talk.main().length === before + 2,
  );
  await stage.host.kill9();
  await broken;
  await stage.host.start({});
  await talk.say(`Go on with turn ${turn}`, middle);
}

interface Session {
  readonly talk: Talk;
  /** What each call's newest prompt is, in their order. */
  readonly prompts: readonly string[];
}

async function session(): Promise<Session> {
  const talk = await stage.talk();
  const prompts: string[] = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    if (turn === REFUSED_IN) stage.provider.script.queueFor(talk.id, fail(429));
    if (turn === RESTARTED_BEFORE) await stage.host.restart({});
    if (turn === KILLED_IN) await killedWork(talk, turn);
    else await work(stage, talk, turn);
    while (prompts.length < talk.main().length) {
      const isResumed =
        turn === KILLED_IN && prompts.filter((one) => one.endsWith(` ${turn}`)).length > 1;
      prompts.push(isResumed ? `Go on with turn ${turn}` : `Do turn ${turn}`);
    }
  }
  return { talk, prompts };
}

async function asked(talk: Talk, tool: string, input: Parameters<typeof call>[1]): Promise<string> {
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Thanks."));
  await talk.say("Look it up", middle);
  return one(texts(talk.last()).at(-1));
}

test("I21 to I25: through a refused call, a kill and a restart, what goes is found again, pays, fits, and leaves the newest", async () => {
  const { talk, prompts } = await session();
  const calls = talk.main();
  const answered = calls.filter(({ outcome }) => outcome.type === "answered");

  // I23 Fits, and the host's net is not needed.
  expect(stage.provider.listCalls(talk.id, "compaction")).toEqual([]);
  for (const { blocks } of calls) expect(sumTokens(blocks)).toBeLessThan(0.9 * MIDDLE_TOKENS);

  // I22 Pays: what no longer grows from the call before is on record, with what it cost and spares.
  const rewrites = await readRewrites(stage.host.home.database, talk.id);
  expect(rewrites.length).toBeGreaterThan(0);
  expect(prefixBreaks(answered).length).toBeLessThanOrEqual(rewrites.length);
  for (const { reason, savedTokens, drops, folds } of rewrites) {
    expect(["worth", "cold"]).toContain(reason);
    expect(drops + folds).toBeGreaterThan(0);
    expect(savedTokens).toBeGreaterThan(0);
  }

  // I25 Prompt, I24 Verbatim: in each call the newest prompt, and what the newest command printed.
  for (const [index, record] of calls.entries()) {
    const said = texts(record);
    expect(said).toContain(one(prompts[index]));
    const newest = one(said.at(-1));
    if (newest !== prompts[index])
      expect(newest).toMatch(/^turn \d+[ab]: module 1 of[\s\S]*module 220 of/);
  }
  expect(texts(one(calls.at(-1))).some((text) => text.includes(lastLine(TURNS)))).toBe(true);

  // I21 Kept: by its ref, and by search.
  const sent = texts(talk.last());
  expect(sent.some((text) => text.includes(outputLine(2, "a")))).toBe(false);
  // Of a stub, or of a folded segment.
  const refs = sent.flatMap(
    (text) => text.match(/(?<=ctx_expand )r:[0-9a-z]{6}|(?<=^\[)h:[0-9a-z]{6}/gm) ?? [],
  );
  expect(refs.length).toBeGreaterThan(0);
  for (const ref of [one(refs[0]), one(refs.at(-1))]) {
    expect(await asked(talk, "ctx_expand", { ref })).toMatch(/turn \d+[ab]: module 7 of/);
  }
  expect(await asked(talk, "ctx_search", { query: "module 7 in turn 2a" })).toContain(
    outputLine(2, "a"),
  );
});
