import { afterEach, expect, test } from "bun:test";
import { after, call, say } from "../src/provider/reply.ts";
import { useStage } from "./conformance/stage.ts";
import {
  expectOnce,
  historianJobs,
  historianSettings,
  jobCalls,
  segments,
  wellWritten,
  work,
} from "./historian-stage.ts";
import { randomOf } from "./inbox-shots.ts";
import { eventually } from "./inbox-stage.ts";
import { expectNothingLeft, halfDeleted, passHours } from "./jobs-stage.ts";
import { LONG } from "./long.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);
const KILLS = Number(process.env.KILLS ?? (LONG ? 200 : 5));
/** From a prompt to the end of the batch that its turn completes, and a little further. */
const MOST_MOMENT_MS = 2_500;
const MOST_ATTEMPTS = 3;

const settings = historianSettings({ batchTokens: 2_000 });
const stage = useStage(settings);

let before = 0;
const calls = () => jobCalls(stage).slice(before);

afterEach(() => {
  passHours(25);
  before = jobCalls(stage).length;
});

const isOver = (...ids: readonly string[]) =>
  historianJobs(stage, ...ids).every(({ state }) => state === "taken" || state === "given_up");

test(`I27: ${KILLS} kills at random moments of batches (seed ${SEED}): nothing is written twice, and nothing is left`, async () => {
  const random = randomOf(SEED);
  const talk = await stage.talk();
  stage.provider.script.respond("job", (record) => after(random() * 600, say(wellWritten(record))));
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
    await Bun.sleep(random() * MOST_MOMENT_MS);
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
  expect(jobs.some(({ state }) => state === "taken")).toBe(true);
  expect(jobs.every((job) => job.attempts <= MOST_ATTEMPTS)).toBe(true);
  expect(calls().length).toBeLessThanOrEqual(attempts);
  expectOnce(stage, talk.id);
  await expectNothingLeft(stage, halfDeleted(stage));
}, 3_600_000);
