import { afterEach, describe, expect, test } from "bun:test";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { eventually } from "../../plugin/test/eventually.ts";
import { makeClient } from "../src/client/client.ts";
import { isolatedEnvironment, spawnHost } from "../src/host/process.ts";
import { after, held, makeGate, say } from "../src/provider/reply.ts";
import { one, useStage } from "./conformance/stage.ts";
import { seededRandom } from "./inbox-shots.ts";
import {
  addJob,
  expectNothingLeft,
  expectOwnWords,
  forgetJobs,
  halfDeleted,
  jobCalls,
  jobRow,
  passHours,
  settingsWith,
  settledAs,
} from "./jobs-stage.ts";
import { longTest } from "./long.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);
const KILLS = Number(process.env.KILLS ?? 200);
/** From a job's row to its settlement, and a little further. */
const MAX_MOMENT_MS = 1_200;
/** How long a call of two processes' jobs takes. */
const TURN_MS = 700;
/** What is charged for a short question before its call, with the longest answer. */
const MAX_PER_CALL_TOKENS = 550;

const settings = settingsWith({});
const stage = useStage(settings);

let before = 0;
const calls = () => jobCalls(stage).slice(before);

afterEach(() => {
  forgetJobs(stage);
  passHours(1);
  before = jobCalls(stage).length;
});

describe("I27: a host that is killed during a job's call", () => {
  test("leaves a row and a session; the next start removes the one and settles the other, once", async () => {
    const talk = await stage.talk();
    await talk.say("Begin");
    const gate = makeGate();
    stage.provider.script.respond("job", () => held(gate, say("<word>lost</word>")));
    const id = addJob(stage, talk.id, "Say a word.");
    await talk.say("Starts it");
    await eventually("the job's call is out", () => calls().length === 1);
    await stage.host.kill9();
    const row = one(jobRow(stage, id) ?? undefined);
    expect(row).toMatchObject({ state: "running", attempts: 1 });
    expect(row.child_session_id).toBe(one(calls()[0]).session);
    expect(row.output_tokens).toBe(500);
    gate.open();
    stage.provider.script.respond("job", () => say("<word>again</word>"));
    await stage.host.start({});
    // Nobody says anything: a request of a terminal UI's is enough to load the project.
    await talk.client.messages(talk.id);
    expect(await settledAs(stage, id, "settled")).toMatchObject({ attempts: 2 });
    expect(calls()).toHaveLength(2);
    await expectNothingLeft(stage);
    await expectOwnWords(talk, "Begin", "Starts it");
  });

  test("three times has the job given up, with what its calls can have cost", async () => {
    const talk = await stage.talk();
    await talk.say("Begin");
    stage.provider.script.respond("job", () => after(60_000, say("<word>never</word>")));
    const id = addJob(stage, talk.id, "Say a word.");
    for (let kill = 1; kill <= 3; kill += 1) {
      await talk.client.messages(talk.id);
      await eventually("the job's call is out", () => calls().length === kill);
      await stage.host.kill9();
      passHours(0.25);
      await stage.host.start({});
    }
    await talk.client.messages(talk.id);
    const row = await settledAs(stage, id, "given_up");
    expect(row).toMatchObject({ attempts: 3, error: "killed" });
    expect(row.output_tokens).toBe(1_500);
    expect(calls()).toHaveLength(3);
    await expectNothingLeft(stage);
  });
});

test("I27: two processes on one project run a job once", async () => {
  const talk = await stage.talk();
  await talk.say("Begin");
  const second = await spawnHost({
    command: [hostBinary()],
    cwd: stage.host.project,
    env: { ...isolatedEnvironment(stage.host.home), ...settings.env },
    log: () => undefined,
  });
  try {
    const client = makeClient(() => second.url, stage.host.project);
    const elsewhere = stage.join((await client.createSession()).id, client);
    await elsewhere.say("Begin");
    stage.provider.script.respond("job", () => after(TURN_MS, say("<word>once</word>")));
    const ids = [0, 1, 2, 3].map((index) =>
      addJob(stage, index % 2 === 0 ? talk.id : elsewhere.id, `Say word ${index}.`),
    );
    await Promise.all([talk.say("More"), elsewhere.say("More")]);
    const rows = [];
    for (const id of ids) rows.push(await settledAs(stage, id, "settled"));
    expect(calls()).toHaveLength(ids.length);
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
    const arrivals = calls().map(({ at }) => at);
    const apartMs = arrivals.slice(1).map((at, index) => at - one(arrivals[index]));
    expect(Math.min(...apartMs)).toBeGreaterThanOrEqual(TURN_MS);
    await expectNothingLeft(stage);
  } finally {
    await second.kill();
  }
});

// Each run has 200 such kills without a host (features/summaries/kills.test.ts), and on the host those above.
longTest(
  `I27: ${KILLS} kills at random moments of jobs (seed ${SEED}): each settles once or is given up, and nothing is left`,
  async () => {
    const random = seededRandom(SEED);
    const talk = await stage.talk();
    await talk.say("Begin");
    stage.provider.script.respond("job", () => after(random() * 400, say("<word>kept</word>")));
    const ids: number[] = [];
    const moments = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const id = addJob(stage, talk.id, `Say word ${kill}.`);
      ids.push(id);
      await talk.client.messages(talk.id);
      const turn = talk.client.promptAsync(talk.id, `Turn ${kill}`).then(({ settled }) => settled);
      turn.catch(() => "killed with its host");
      await eventually(
        () => `job ${id} is taken after ${kill} kills: ${JSON.stringify(jobRow(stage, id))}`,
        () => jobRow(stage, id)?.state !== "due",
      );
      await Bun.sleep(random() * MAX_MOMENT_MS);
      await stage.host.kill9();
      const row = jobRow(stage, id);
      moments.add(`${row?.state}, ${row?.child_session_id === null ? "no child" : "a child"}`);
      if (random() < 0.5) passHours(0.1);
      await stage.host.start({});
    }
    passHours(0.5);
    await talk.say("After all");
    const rows = [];
    for (const id of ids) rows.push(await settledAs(stage, id, "settled", "given_up"));
    const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
    const settled = rows.filter(({ state }) => state !== "given_up");
    console.log(
      `${KILLS} kills, ${attempts} attempts, ${calls().length} calls, ${settled.length} settled; killed as ${[...moments].join("; ")}`,
    );
    // A settled job is in no proposal but its own, and an attempt makes one call at most.
    expect(calls().length).toBeLessThanOrEqual(attempts);
    expect(rows.every((row) => row.attempts <= 3)).toBe(true);
    expect(settled.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row.input_tokens + row.output_tokens).toBeLessThanOrEqual(3 * MAX_PER_CALL_TOKENS);
    }
    const half = halfDeleted(stage);
    console.log(`${half.size} killed in the middle of the host's own deletion`);
    expect(half.size).toBeLessThanOrEqual(Math.ceil(KILLS / 5));
    await expectNothingLeft(stage, half);
    // 200 kills at a minute each: no time decides what comes out.
  },
  12_000_000,
);
