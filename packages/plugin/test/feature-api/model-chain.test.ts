import { expect, test } from "bun:test";
import {
  type Answer,
  type AskFailure,
  type AskOptions,
  askModelsInTurn,
  buildModelChain,
  createFailedAnswer,
  ModelChain,
} from "../../src/feature-api/job.ts";
import { defineQuestionJob } from "../../src/features/memory/smart-note-checks.ts";

const QUESTION = { system: "s", prompt: "p" };
const YES: Answer = { kind: "answered", text: "yes", inputTokens: 1, outputTokens: 1 };

/** What each model answers, and which were asked. */
async function ask(chain: ModelChain, answers: Readonly<Record<string, AskFailure | "yes">>) {
  const asked: (string | null)[] = [];
  const port = {
    ask: async (_: unknown, { model }: AskOptions) => {
      asked.push(model);
      const code = answers[String(model)] ?? "yes";
      return code === "yes" ? YES : createFailedAnswer(code);
    },
  };
  const options = { timeoutMs: 1, maxOutputTokens: 1, models: chain };
  const answer = await askModelsInTurn(port, QUESTION, options);
  return { asked, end: answer.kind === "failed" ? answer.code : answer.text };
}

test("the first that answers is asked first the next time", async () => {
  const chain = new ModelChain([null, "a/b", "c/d"]);
  const first = await ask(chain, { null: "refused", "a/b": "timeout" });
  expect(first).toEqual({ asked: [null, "a/b", "c/d"], end: "yes" });
  expect(await ask(chain, {})).toEqual({ asked: ["c/d"], end: "yes" });
});

test("a feature's own models are the whole chain, and the others where it has none", async () => {
  const others = [null, "x/y"] as const;
  expect(buildModelChain(["a/b"], others).length).toBe(1);
  expect((await ask(buildModelChain([], others), { null: "refused" })).asked).toEqual([
    null,
    "x/y",
  ]);
});

test("a smart note's question is asked of the next model where one fails", async () => {
  const asked: (string | null)[] = [];
  const model = {
    ask: async (_: unknown, options: AskOptions) => {
      asked.push(options.model);
      return options.model === null ? createFailedAnswer("unavailable") : YES;
    },
  };
  const deps = { directory: "/nowhere", messages: async () => [], now: () => 2_000 };
  const job = defineQuestionJob({ ...deps, fallbacks: ["x/y"] });
  const input = { id: "n1", sessionId: "ses_1", question: "Is it merged?", writtenAtMs: 1_000 };
  expect(await job.run(model, input, 1)).toMatchObject({ kind: "done", output: { holds: true } });
  expect(asked).toEqual([null, "x/y"]);
});

test("where all fail, each was asked once, and the next time begins at the same one", async () => {
  const chain = new ModelChain(["a/b", "c/d"]);
  const end = { asked: ["a/b", "c/d"], end: "timeout" };
  expect(await ask(chain, { "a/b": "refused", "c/d": "timeout" })).toEqual(end);
  expect(await ask(chain, { "a/b": "refused", "c/d": "timeout" })).toEqual(end);
});

test("where no further call is allowed, what the model failed by is the end", async () => {
  const chain = new ModelChain(["a/b", "c/d"]);
  const { end } = await ask(chain, { "a/b": "rate_limited", "c/d": "too_many_calls" });
  expect(end).toBe("rate_limited");
});

test.each([
  "stopped",
  "over_budget",
  "host_failed",
  "too_many_calls",
  "empty",
  "too_long",
] as const)("%s says nothing of the model: no other one is asked", async (code) => {
  const chain = new ModelChain(["a/b", "c/d"]);
  expect(await ask(chain, { "a/b": code })).toEqual({ asked: ["a/b"], end: code });
});
