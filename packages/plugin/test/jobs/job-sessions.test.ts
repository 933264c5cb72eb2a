import { expect, test } from "bun:test";
import { JobSessions, parseJobTitle, renderJobTitle } from "../../src/jobs/job-sessions.ts";
import type { SessionId } from "../../src/storage/records.ts";

const child = "ses_child" as SessionId;
const call = { system: "Say a word.", prompt: "A word.", maxOutputTokens: 70 };

test("a job's session is known by its title, or by its call, and stays known; a user's is not", () => {
  const sessions = new JobSessions();
  sessions.recordSession("ses_titled", renderJobTitle(7, "0123abcd"));
  sessions.recordSession("ses_user", "Why job 7 failed");
  expect(["ses_titled", "ses_user", child, undefined].map((id) => sessions.has(id))).toEqual([
    ...[true, false, false, false],
  ]);
  sessions.beginCall(child, call);
  expect([sessions.has(child), sessions.findChildCall(child)]).toEqual([true, call]);
  sessions.endCall(child);
  expect([sessions.has(child), sessions.findChildCall(child)]).toEqual([true, null]);
});

test("a title names its job, of however many digits; no other title does", () => {
  for (const id of [1, 12_345, 123_456_789_012_345]) {
    expect(parseJobTitle(renderJobTitle(id, "0123abcd"))).toBe(id);
  }
  for (const title of ["Session Runtime job (0123abcd)", "Session Runtime job 1 (0123abc)", ""]) {
    expect(parseJobTitle(title)).toBeNull();
  }
});

test("the call goes to the provider once; one of a session that is not open never does", () => {
  const sessions = new JobSessions();
  sessions.beginCall(child, call);
  expect(sessions.isClaimed(child)).toBe(false);
  expect([sessions.claimCall(child), sessions.claimCall(child)]).toEqual([call, null]);
  expect(sessions.isClaimed(child)).toBe(true);
  expect([sessions.claimCall("ses_left"), sessions.isClaimed("ses_left")]).toEqual([null, true]);
});

test("what the host wants next is kept while the call is open, and of no other session", () => {
  const sessions = new JobSessions();
  sessions.beginCall(child, call);
  expect([sessions.findRetry(child), sessions.isUnfinished(child)]).toEqual([null, false]);
  for (const id of [child, "ses_user"]) {
    sessions.recordRetry(id, "Overloaded");
    sessions.recordFurtherCall(id);
  }
  expect([sessions.findRetry(child), sessions.isUnfinished(child)]).toEqual(["Overloaded", true]);
  expect([sessions.findRetry("ses_user"), sessions.isUnfinished("ses_user")]).toEqual([
    null,
    false,
  ]);
});
