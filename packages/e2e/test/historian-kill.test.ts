import { afterEach, expect, test } from "bun:test";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { eventually } from "../../plugin/test/eventually.ts";
import { makeClient } from "../src/client/client.ts";
import { isolatedEnvironment, spawnHost } from "../src/host/process.ts";
import { after, call, say } from "../src/provider/reply.ts";
import { useStage } from "./conformance/stage.ts";
import {
  BATCH_TURNS,
  expectOnce,
  historianJobs,
  historianSettings,
  jobCalls,
  segments,
  wellWritten,
  work,
} from "./historian-stage.ts";
import { seededRandom } from "./inbox-shots.ts";
import { expectNothingLeft, halfDeleted, passHours } from "./jobs-stage.ts";
import { longTest } from "./long.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);
const KILLS = Number(process.env.KILLS ?? 200);
/** From a prompt to the end of the batch that its turn completes, and a little further. */
const MAX_MOMENT_MS = 2_500;
const MAX_ATTEMPTS = 3;

const settings = historianSettings({ batchTokens: 2_000 });
const stage = useStage(settings);

let before = 0;
const calls = () => jobCalls(stage).slice(before);

afterEach(() => {
  passHours(25);
  before = jobCalls(stage).length;
});

const isOver = (...ids: readonly string[]) =>
  historianJobs(stage, ...ids).every(({ state }) => state === "settled" || state === "given_up");

test("I27: two processes on one project have each batch written once", async () => {
  const talk = await stage.talk();
  const second = await spawnHost({
    command: [hostBinary()],
    cwd: stage.host.project,
    env: { ...isolatedEnvironment(stage.host.home), ...settings.env },
    log: () => undefined,
  });
  try {
    const client = makeClient(() => second.url, stage.host.project);
    const elsewhere = stage.join((await client.createSession()).id, client);
    stage.provider.script.respond("job", (record) => after(500, say(wellWritten(record))));
    const both = [talk, elsewhere];
    for (let turn = 1; turn <= BATCH_TURNS; turn += 1) {
      await Promise.all(both.map((one, index) => work(stage, one, `${index}.${turn}`)));
    }
    const ids = both.map(({ id }) => id);
    // A process that found the other one at it looks again at its next turn.
    await eventually("all batches are written", async () => {
      if (isOver(...ids)) return true;
      await Promise.all(both.map((one) => one.say("More")));
      return false;
    });
    // A batch may still be planned just after the last turn.
    let jobs = historianJobs(stage, ...ids);
    await eventually("as many calls as batches, all of them settled", () => {
      jobs = historianJobs(stage, ...ids);
      return jobs.every(({ state }) => state === "settled") && calls().length === jobs.length;
    });
    expect(jobs.map(({ attempts }) => attempts)).toEqual(jobs.map(() => 1));
    for (const { id } of both) {
      expectOnce(stage, id);
      expect(segments(stage, id).length).toBeGreaterThan(0);
    }
    await expectNothingLeft(stage);
  } finally {
    await second.kill();
  }
});

// Every run has such kills without a host (features/summaries/kills.test.ts), and kills of jobs on the host at chosen moments.
longTest(
  `I27: ${KILLS} kills at random moments of batches (seed ${SEED}): nothing is written twice, and nothing is left`,
  async () => {
    const random = seededRandom(SEED);
    const talk = await stage.talk();
    stage.provider.script.respond("job", (record) =>
      after(random() * 600, say(wellWritten(record))),
    );
    const moments = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await talk.client.messages(talk.id);
      await work(stage, talk, `a${kill}`);
      const command = "seq -f 'line %g was checked and found right' 1 200";
      stage.provider.script.queueFor(
        talk.id,
        call("bash", { command, description: "b" }),
        say("Ok."),
      );
      const turn = talk.client.promptAsync(talk.id, `Turn ${kill}`).then(({ settled }) => settled);
      turn.catch(() => "killed with its host");
      await Bun.sleep(random() * MAX_MOMENT_MS);
      await stage.host.kill9();
      moments.add(historianJobs(stage, talk.id).at(-1)?.state ?? "none");
      if (random() < 0.5) passHours(0.1);
      await stage.host.start({});
    }
    passHours(0.5);
    await talk.say("After all");
    passHours(0.5);
    await talk.say("And once more");
    await eventually(
      () => `all batches are over: ${JSON.stringify(historianJobs(stage, talk.id))}`,
      () => isOver(talk.id),
      60_000,
    );
    const jobs = historianJobs(stage, talk.id);
    const attempts = jobs.reduce((sum, job) => sum + job.attempts, 0);
    console.log(
      `${KILLS} kills, ${jobs.length} batches, ${attempts} attempts, ${calls().length} calls, ${segments(stage, talk.id).length} segments; killed as ${[...moments].join("; ")}`,
    );
    expect(jobs.some(({ state }) => state === "settled")).toBe(true);
    expect(jobs.every((job) => job.attempts <= MAX_ATTEMPTS)).toBe(true);
    expect(calls().length).toBeLessThanOrEqual(attempts);
    expectOnce(stage, talk.id);
    await expectNothingLeft(stage, halfDeleted(stage));
  },
  3_600_000,
);
