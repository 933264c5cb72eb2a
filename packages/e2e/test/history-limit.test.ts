import { expect, test } from "bun:test";
import { readRewrites } from "../src/bench/history/read-rewrites.ts";
import { sumTokens } from "../src/block.ts";
import { MODELS, ROOMY_TOKENS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { OURS, one, type Stage, type Talk, useStage } from "./conformance/stage.ts";
import { queueWork } from "./history-stage.ts";

// A provider whose model takes a fifth of what the catalogue says, on the real host.
const LIMIT_TOKENS = ROOMY_TOKENS / 5;
const TURNS = 14;
/** Before this turn the first host is restarted; what the other shows needs no second start. */
const RESTARTED_BEFORE = 11;
/** As many as go over the limit, unless it is known. */
const FEWER_TURNS = 10;
const roomy = { model: MODELS.anthropic };

const plugin = [[OURS, { history: { rewrite: "pressure" }, recall: { enabled: false } }]] as const;
const recovering = useStage({ plugin });
const bare = useStage({ plugin, config: { compaction: { auto: false } } });

async function session(stage: Stage, turns: number): Promise<Talk> {
  stage.provider.script.limitTokens = LIMIT_TOKENS;
  const talk = await stage.talk();
  for (let turn = 1; turn <= turns; turn++) {
    if (turn === RESTARTED_BEFORE && stage === recovering) await stage.host.restart({});
    queueWork(stage, talk, turn);
    await talk.say(`Do turn ${turn}`, roomy);
  }
  return talk;
}

const sumBlockTokens = ({ blocks }: CallRecord) => sumTokens(blocks);
const refused = (talk: Talk) => talk.main().filter(({ outcome }) => outcome.type === "failed");
const reasons = async (stage: Stage, talk: Talk) =>
  (await readRewrites(stage.host.home.database, talk.id)).map(({ reason }) => reason);

test("I23: after one refusal a session goes on within the limit that the provider has stated, over a restart", async () => {
  const talk = await session(recovering, TURNS);
  // The host's own recovery, once; then the plugin keeps within what the model takes.
  expect(refused(talk)).toHaveLength(1);
  const compactions = recovering.provider.listCalls(talk.id, "compaction");
  expect(compactions.map(({ outcome }) => outcome.type)).toEqual(["answered"]);
  expect(await reasons(recovering, talk)).toContain("pressure");
  // Another session of the model knows it from its start.
  const other = await session(recovering, FEWER_TURNS);
  expect(refused(other)).toEqual([]);
  expect(recovering.provider.listCalls(other.id, "compaction")).toEqual([]);
}, 600_000);

test("I23: where the host doesn't recover, the next prompt's call is under pressure and fits", async () => {
  const talk = await session(bare, TURNS);
  expect(refused(talk)).toHaveLength(1);
  expect(bare.provider.listCalls(talk.id, "compaction")).toEqual([]);
  expect((await reasons(bare, talk))[0]).toBe("pressure");
  const after = talk.main().slice(talk.main().indexOf(one(refused(talk)[0])) + 1);
  expect(after.length).toBeGreaterThan(TURNS);
  expect(Math.max(...after.map(sumBlockTokens))).toBeLessThan(LIMIT_TOKENS);
}, 600_000);
