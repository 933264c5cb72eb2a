// What the host's events say, and that those of another shape say nothing.
import { expect, test } from "bun:test";
import { readHostEvent } from "../../src/hooks-v2/host.ts";

const sessionID = "ses_1";
const heard = (type: string, data: object = {}) =>
  readHostEvent({ type, data: { sessionID, ...data } });

test.each([
  ["session.execution.started", "busy"],
  ["session.execution.succeeded", "idle"],
  ["session.execution.failed", "idle"],
  ["session.execution.interrupted", "idle"],
  ["session.compaction.ended", "compacted"],
  ["session.deleted", "deleted"],
] as const)("%s: %s", (type, kind) => {
  expect(heard(type)).toEqual({ kind, sessionId: sessionID } as never);
});

test("an answer's figures count what is a number above nothing; its price is the host's", () => {
  const tokens = { input: 3, output: 4, reasoning: 5, cache: { read: Number.NaN, write: -1 } };
  const data = { assistantMessageID: "msg_1", cost: 0.5, tokens, finish: "stop" };
  const usage = { inputTokens: 3, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(heard("session.step.ended", data)).toEqual({
    ...{ kind: "billed", sessionId: sessionID as never, messageId: "msg_1" },
    ...{ usage, paidUsd: 0.5, noted: { tokens, finish: "stop" } },
  });
  expect(heard("session.step.ended", { ...data, tokens: {} })).toBeNull();
  expect(heard("session.step.ended", { ...data, assistantMessageID: 1 })).toBeNull();
  const unpriced = heard("session.step.ended", { ...data, cost: "1", finish: 2 });
  expect(unpriced).toMatchObject({ paidUsd: 0, noted: { tokens } });
  expect(unpriced).not.toHaveProperty("noted.finish");
});

test("a step that failed says why in the provider's words", () => {
  const error = { type: "provider", message: "prompt is too long: 210000 tokens > 200000 maximum" };
  expect(heard("session.step.failed", { error })).toMatchObject({
    kind: "refused",
    said: [error.message],
  });
  expect(heard("session.step.failed", { error: "no" })).toBeNull();
});

test("what is of no session, or never was read, says nothing", () => {
  expect(readHostEvent({ type: "session.execution.started" })).toBeNull();
  expect(readHostEvent({ type: "session.execution.started", data: { sessionID: 7 } })).toBeNull();
  expect(heard("session.tool.called")).toBeNull();
});
