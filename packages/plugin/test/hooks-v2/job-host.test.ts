// One call of a job over `generate.text`: what is asked, what it is taken to have cost, and how it ends.
import { expect, test } from "bun:test";
import { createJobHost } from "../../src/hooks-v2/job-host.ts";
import type { SessionId } from "../../src/storage/records.ts";

const CHILD = "ses_job_1_1" as SessionId;
const question = { system: "Be brief.", prompt: "Why?", model: "a/b/c", maxOutputTokens: 9 };
const ASKED = "Be brief.\n\nWhy?\n\nAnswer in at most 9 tokens.";
const inputTokens = Math.ceil(ASKED.length / 3);

const ended = (text: () => Promise<{ readonly text: string }>) =>
  createJobHost({ text }, async () => null).prompt(CHILD, question as never);

test("asks the model of the settings, whose name may have slashes, and counts a third of the bytes", async () => {
  const asked: unknown[] = [];
  const text = async (given: unknown) => {
    asked.push(given);
    return { text: "Über" };
  };
  const reply = await createJobHost({ text }, async () => null).prompt(CHILD, question as never);
  expect(asked).toEqual([{ prompt: ASKED, model: { providerID: "a", id: "b/c" } }]);
  expect(reply).toEqual({
    kind: "text",
    text: "Über",
    ending: "whole",
    inputTokens,
    outputTokens: 2,
  });
});

test.each([
  ["Error", "HTTP 429", "rate_limited"],
  ["Error", "HTTP 400: no such model", "refused"],
  ["Error", "HTTP 1400", "unavailable"],
  ["InvalidRequest", "no", "refused"],
  ["Error", "socket closed", "unavailable"],
] as const)("a call that ends with %s, %s: %s", async (name, message, code) => {
  const reply = await ended(() => Promise.reject(Object.assign(new Error(message), { name })));
  expect(reply).toEqual({ kind: "error", code, inputTokens, outputTokens: 0 });
});

test("a call that ends with what is no error is one that could be made again", async () => {
  const reply = await ended(() => Promise.reject("HTTP 400"));
  expect(reply).toMatchObject({ kind: "error", code: "unavailable" });
});

test("a call that is stopped ends at once; its late answer, and a stop after the end, are nobody's", async () => {
  const answer = Promise.withResolvers<{ readonly text: string }>();
  const host = createJobHost({ text: () => answer.promise }, async () => null);
  const asked = host.prompt(CHILD, question as never);
  await host.abort("ses_another" as SessionId);
  await host.abort(CHILD);
  expect(await asked).toEqual({ kind: "error", code: "stopped", inputTokens, outputTokens: 0 });
  answer.resolve({ text: "Late." });
  await host.abort(CHILD);
});

test("each call has a session of its own by name, and leaves none behind", async () => {
  const host = createJobHost({ text: async () => ({ text: "" }) }, async () => null);
  const ids = [await host.open(7, null), await host.open(7, null)];
  expect(ids).toEqual(["ses_job_7_1", "ses_job_7_2"] as never);
  expect(await host.children()).toEqual([]);
});
