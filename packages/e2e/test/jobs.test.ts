import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import type { HostEvent } from "../src/client/events.ts";
import {
  after,
  breakOff,
  call,
  fail,
  held,
  makeGate,
  type Reply,
  say,
} from "../src/provider/reply.ts";
import { count, expectSteady, history, one, type Talk, useStage } from "./conformance/stage.ts";
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
  waitingProposals,
} from "./jobs-stage.ts";
import { longTest, type Runs, rowTest } from "./long.ts";

// Jobs of a feature of the tests, on the real host.
const stage = useStage(settingsWith({}));

/** The calls of jobs that were there before the test. */
let before = 0;
const calls = () => jobCalls(stage).slice(before);

afterEach(() => {
  forgetJobs(stage);
  // No refusal and no breaker is left to the next one.
  passHours(1);
  before = jobCalls(stage).length;
});

async function begun(): Promise<Talk> {
  const talk = await stage.talk();
  await talk.say("Begin");
  return talk;
}

describe("I27: a job that settles", () => {
  test("makes one call of its words alone, and leaves nothing in the host", async () => {
    const talk = await begun();
    const id = addJob(stage, talk.id, "Say a word.");
    await talk.say("More");
    const row = await settledAs(stage, id, "settled");
    const [only, ...more] = calls();
    const sent = one(only);
    expect(more).toEqual([]);
    expect(sent.body).toMatchObject({ model: "claude-second", max_tokens: 500 });
    expect(sent.body.tools).toBeUndefined();
    expect(sent.system).toBe("You do a small job for a test.");
    expect(sent.blocks.length).toBe(2);
    expect(count(sent, "Say a word.")).toBe(1);
    expect(row).toMatchObject({ attempts: 1, error: null, model: "anthropic/claude-second" });
    const used = one(sent.outcome.type === "answered" ? sent.outcome.usage : undefined);
    expect(row.input_tokens).toBe(used.inputTokens + used.readTokens + used.writeTokens);
    expect(row.output_tokens).toBe(used.outputTokens);
    expect(talk.main()).toHaveLength(2);
    expect(stage.provider.requests.filter(({ session }) => session === sent.session)).toEqual([
      sent,
    ]);
    await expectNothingLeft(stage);
    await expectOwnWords(talk, "Begin", "More");
  });

  test("has its proposal taken by a boundary, once, and it holds", async () => {
    const talk = await begun();
    stage.provider.script.queueFor(
      talk.id,
      call("bash", { command: "expr 6000 + 123", description: "Adds" }),
      say("Ran it."),
    );
    await talk.say("Run");
    const id = addJob(stage, talk.id, "Say a word.");
    await talk.say("More");
    await settledAs(stage, id, "settled");
    expect(waitingProposals(stage, talk.id)).toBe(1);
    await talk.say("Taken");
    const texts = () => history(talk.last()).map(({ text }) => text);
    expect(texts()).toContain("[done]");
    expect(texts().join()).not.toContain("6123");
    expect(waitingProposals(stage, talk.id)).toBe(0);
    const taken = talk.last();
    await stage.host.restart({});
    await talk.say("Again");
    expectSteady([taken, talk.last()]);
    expect(calls()).toHaveLength(1);
    await expectNothingLeft(stage);
  });

  test("for a project and no session works the same", async () => {
    const talk = await begun();
    const id = addJob(stage, null, "Say a word.");
    await talk.say("More");
    await settledAs(stage, id, "settled");
    expect(calls()).toHaveLength(1);
    expect(stage.provider.listCalls(one(calls()[0]).session, "title")).toEqual([]);
    await expectNothingLeft(stage);
  });

  test("is described to no session of the user's: its tools are no change of theirs", async () => {
    const talk = await begun();
    const id = addJob(stage, talk.id, "Say a word.");
    await talk.say("More");
    await settledAs(stage, id, "settled");
    await talk.say("After");
    await talk.say("Last");
    expectSteady(talk.main());
    expect(stage.host.logs()).not.toContain("hook.failed");
  });
});

describe("I26: a job that is late", () => {
  test("holds up no turn, and settles when its answer comes", async () => {
    const talk = await begun();
    const gate = makeGate();
    stage.provider.script.respond("job", () => held(gate, say("<word>late</word>")));
    const id = addJob(stage, talk.id, "Say a word.", 60_000);
    await talk.say("Starts it");
    await eventually("the job's call is out", () => calls().length === 1);
    // A turn that waited for the job would not end at all.
    for (const prompt of ["A", "B", "C"]) await talk.say(prompt);
    expect(one(calls()[0]).outcome.type).toBe("pending");
    expect(jobRow(stage, id)?.state).toBe("running");
    gate.open();
    await settledAs(stage, id, "settled");
    expect(calls()).toHaveLength(1);
    await expectNothingLeft(stage);
    await expectOwnWords(talk, "Begin", "Starts it", "A", "B", "C");
  });

  longTest("by 30 seconds, keeps its lease over two renewals and settles", async () => {
    const talk = await begun();
    stage.provider.script.respond("job", () => after(30_000, say("<word>late</word>")));
    const id = addJob(stage, talk.id, "Say a word.", 60_000);
    for (const prompt of ["A", "B", "C", "D"]) await talk.say(prompt);
    expect(jobRow(stage, id)?.state).toBe("running");
    await settledAs(stage, id, "settled");
    expect(calls()).toHaveLength(1);
    await expectNothingLeft(stage);
  });
});

describe("I27: the session that a job is for", () => {
  test("is deleted meanwhile: job and child go with it, and nothing is settled", async () => {
    const talk = await begun();
    const gate = makeGate();
    stage.provider.script.respond("job", () => held(gate, say("<word>late</word>")));
    const id = addJob(stage, talk.id, "Say a word.");
    await talk.say("Starts it");
    await eventually("the job's call is out", () => calls().length === 1);
    await talk.client.deleteSession(talk.id);
    await eventually("the row is gone", () => jobRow(stage, id) === null);
    gate.open();
    await expectNothingLeft(stage);
    // The runner is free for the next one.
    passHours(1);
    stage.provider.script.respond("job", () => say("<word>next</word>"));
    const next = await begun();
    const nextId = addJob(stage, next.id, "Say a word.");
    await next.say("More");
    await settledAs(stage, nextId, "settled");
    await expectNothingLeft(stage);
  });
});

/** What a provider may do to a job. Every failure is one call: the host's own retries are stopped. */
interface Failure {
  readonly runs: Runs;
  readonly what: string;
  readonly reply: Reply;
  readonly code: string;
  readonly calls: number;
  /** What the host's bus says of it beside an abort, which no user sees. */
  readonly errors: readonly string[];
}

const FAILURES: readonly Failure[] = [
  {
    runs: "long-runs",
    what: "HTTP 500",
    reply: fail(500),
    code: "unavailable",
    calls: 1,
    errors: [],
  },
  {
    runs: "each-run",
    what: "HTTP 429",
    reply: fail(429),
    code: "rate_limited",
    calls: 1,
    errors: [],
  },
  {
    runs: "each-run",
    what: "HTTP 529",
    reply: fail(529),
    code: "unavailable",
    calls: 1,
    errors: [],
  },
  {
    runs: "each-run",
    what: "HTTP 401",
    reply: fail(401),
    code: "refused",
    calls: 1,
    errors: ["APIError"],
  },
  {
    runs: "each-run",
    what: "a late answer",
    reply: after(20_000, say("x")),
    code: "timeout",
    calls: 1,
    errors: [],
  },
  {
    runs: "long-runs",
    what: "a torn stream",
    reply: breakOff("<wo"),
    code: "unavailable",
    calls: 1,
    errors: [],
  },
  {
    runs: "long-runs",
    what: "an empty answer",
    reply: say(""),
    code: "empty",
    calls: 1,
    errors: [],
  },
  {
    runs: "each-run",
    what: "a malformed answer",
    reply: say("Sure!"),
    code: "malformed",
    calls: 2,
    errors: [],
  },
  {
    runs: "each-run",
    what: "a tool call that nobody offered",
    reply: call("bash", { command: "touch made-by-a-job", description: "x" }),
    code: "empty",
    calls: 1,
    errors: [],
  },
];

describe("I27: a job whose provider gives", () => {
  for (const { runs, what, reply, code, calls: expected, errors } of FAILURES) {
    rowTest(
      runs,
      `${what} fails as ${code}, with ${expected} calls, and is made again later`,
      async () => {
        const talk = await begun();
        stage.provider.script.respond("job", () => reply);
        const events = await talk.client.events();
        const timeoutMs = code === "timeout" ? 3_000 : 20_000;
        const id = addJob(stage, talk.id, "Say a word.", timeoutMs);
        await talk.say("More");
        const row = await settledAs(stage, id, "failed");
        expect(row).toMatchObject({ error: code, attempts: 1 });
        expect(calls()).toHaveLength(expected);
        await expectNothingLeft(stage);
        expect(events.seen.flatMap(listErrorNames)).toEqual([...errors]);
        events.close();
        stage.provider.script.respond("job", () => say("<word>now</word>"));
        passHours(0.25);
        await talk.say("Later");
        const settled = await settledAs(stage, id, "settled");
        expect(settled).toMatchObject({ attempts: 2, error: code });
        expect(calls()).toHaveLength(expected + 1);
        await expectNothingLeft(stage);
        await expectOwnWords(talk, "Begin", "More", "Later");
        expect(talk.main()).toHaveLength(3);
      },
    );
  }
});

test("I27: while a turn's call was just refused, no job is begun", async () => {
  const talk = await begun();
  stage.provider.script.queueFor(talk.id, fail(429), say("At last."));
  await talk.say("Refused first");
  const id = addJob(stage, talk.id, "Say a word.");
  // The end of a turn is when jobs are looked at.
  await talk.say("Answered");
  await Bun.sleep(1_000);
  expect(jobRow(stage, id)).toMatchObject({ state: "due", attempts: 0 });
  passHours(0.25);
  await talk.say("Later");
  await settledAs(stage, id, "settled");
  expect(calls()).toHaveLength(1);
  await expectNothingLeft(stage);
});

test("I27: three equal failures in a row stop that session's jobs of the kind for an hour, announced once; others go on", async () => {
  const talk = await begun();
  stage.provider.script.respond("job", () => fail(500));
  const events = await talk.client.events();
  const first = addJob(stage, talk.id, "Say a word.");
  for (const state of ["failed", "failed", "given_up"]) {
    const made = calls().length;
    await talk.say("Turn");
    await eventually("one more attempt", () => calls().length > made);
    await settledAs(stage, first, state);
    passHours(0.5);
  }
  expect(jobRow(stage, first)?.error).toBe("unavailable,unavailable,unavailable");
  stage.provider.script.respond("job", () => say("<word>up</word>"));
  const second = addJob(stage, talk.id, "Say another.");
  for (let turn = 0; turn < 3; turn += 1) await talk.say("Turn");
  await stage.host.restart({});
  await talk.say("After a restart");
  await Bun.sleep(2_500);
  expect(jobRow(stage, second)).toMatchObject({ state: "due", attempts: 0 });
  expect(calls()).toHaveLength(3);
  const other = await begun();
  const elsewhere = addJob(stage, other.id, "Say one elsewhere.");
  await other.say("More");
  await settledAs(stage, elsewhere, "settled");
  expect(jobRow(stage, second)).toMatchObject({ state: "due", attempts: 0 });
  const announced = events.seen.filter(
    ({ type, properties }) =>
      type === "tui.toast.show" && JSON.stringify(properties).includes("Background jobs"),
  );
  expect(announced).toHaveLength(1);
  passHours(0.75);
  await talk.say("An hour after the failure");
  await settledAs(stage, second, "settled");
  expect(calls()).toHaveLength(5);
  await expectNothingLeft(stage);
}, 400_000);

/** Names of errors that the host's bus tells of; an abort shows nowhere. */
function listErrorNames({ type, properties }: HostEvent): readonly string[] {
  const error = properties.error;
  if (type !== "session.error" || typeof error !== "object" || error === null) return [];
  const name = "name" in error ? String(error.name) : "?";
  return name === "MessageAbortedError" ? [] : [name];
}
