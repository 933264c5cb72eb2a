import { afterEach, describe, expect, test } from "bun:test";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { makeClient } from "../src/client/client.ts";
import { isolatedEnvironment, spawnHost } from "../src/host/process.ts";
import { after, held, makeGate, say } from "../src/provider/reply.ts";
import { one, useStage } from "./conformance/stage.ts";
import { eventually } from "./inbox-stage.ts";
import {
  addJob,
  expectNothingLeft,
  expectOwnWords,
  forgetJobs,
  jobCalls,
  jobRow,
  passHours,
  settingsWith,
  settledAs,
} from "./jobs-stage.ts";

/** How long a call of two processes' jobs takes. */
const TURN_MS = 700;
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
