import { afterEach, describe, expect, test } from "bun:test";
import type { HostEvent } from "../src/client/events.ts";
import { after, breakOff, call, fail, type Reply, say } from "../src/provider/reply.ts";
import { useStage } from "./conformance/stage.ts";
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

// What a provider may do to a job. Every failure is one call: the host's own retries are stopped.
const stage = useStage(settingsWith({}));

let before = 0;
const calls = () => jobCalls(stage).slice(before);

afterEach(() => {
  forgetJobs(stage);
  passHours(1);
  before = jobCalls(stage).length;
});

interface Failure {
  readonly what: string;
  readonly reply: Reply;
  readonly code: string;
  readonly calls: number;
  /** What the host's bus says of it beside an abort, which no user sees. */
  readonly errors: readonly string[];
}

const FAILURES: readonly Failure[] = [
  { what: "HTTP 500", reply: fail(500), code: "unavailable", calls: 1, errors: [] },
  { what: "HTTP 429", reply: fail(429), code: "rate_limited", calls: 1, errors: [] },
  { what: "HTTP 529", reply: fail(529), code: "unavailable", calls: 1, errors: [] },
  { what: "HTTP 401", reply: fail(401), code: "refused", calls: 1, errors: ["APIError"] },
  { what: "a late answer", reply: after(20_000, say("x")), code: "timeout", calls: 1, errors: [] },
  { what: "a torn stream", reply: breakOff("<wo"), code: "unavailable", calls: 1, errors: [] },
  { what: "an empty answer", reply: say(""), code: "empty", calls: 1, errors: [] },
  { what: "a malformed answer", reply: say("Sure!"), code: "malformed", calls: 2, errors: [] },
  {
    what: "a tool call that nobody offered",
    reply: call("bash", { command: "touch made-by-a-job", description: "x" }),
    code: "stopped",
    calls: 1,
    errors: [],
  },
];

describe("I27: a job whose provider gives", () => {
  for (const { what, reply, code, calls: expected, errors } of FAILURES) {
    test(`${what} fails as ${code}, with ${expected} calls, and is made again later`, async () => {
      const talk = await stage.talk();
      await talk.say("Begin");
      stage.provider.script.respond("job", () => reply);
      const events = await talk.client.events();
      const id = addJob(stage, talk.id, "Say a word.", 3_000);
      await talk.say("More");
      const row = await settledAs(stage, id, "failed");
      expect(row).toMatchObject({ error: code, attempts: 1 });
      expect(calls()).toHaveLength(expected);
      await expectNothingLeft(stage);
      expect(events.seen.flatMap(errorOf)).toEqual([...errors]);
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
    });
  }
});

test("I27: while a turn's call was just refused, no job is begun", async () => {
  const talk = await stage.talk();
  await talk.say("Begin");
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

test("I27: three equal failures in a row stop all jobs for a day, announced once", async () => {
  const talk = await stage.talk();
  await talk.say("Begin");
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
  const announced = events.seen.filter(
    ({ type, properties }) =>
      type === "tui.toast.show" && JSON.stringify(properties).includes("Background jobs"),
  );
  expect(announced).toHaveLength(1);
  passHours(24);
  await talk.say("The next day");
  await settledAs(stage, second, "settled");
  expect(calls()).toHaveLength(4);
  await expectNothingLeft(stage);
});

/** Names of errors that the host's bus tells of; an abort shows nowhere. */
function errorOf({ type, properties }: HostEvent): readonly string[] {
  const error = properties.error;
  if (type !== "session.error" || typeof error !== "object" || error === null) return [];
  const name = "name" in error ? String(error.name) : "?";
  return name === "MessageAbortedError" ? [] : [name];
}
