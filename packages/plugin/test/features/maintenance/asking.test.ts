// One batch asked of a model: which answers end a run, which are asked again, and what a call may cost.
import { describe, expect, test } from "bun:test";
import {
  type Answer,
  type AskFailure,
  type AskOptions,
  createFailedAnswer,
  ModelChain,
} from "../../../src/feature-api/job.ts";
import { archiveTask } from "../../../src/features/maintenance/archive.ts";
import { askForProposals } from "../../../src/features/maintenance/ask.ts";
import type { TaskInput } from "../../../src/features/maintenance/task.ts";
import type { Memory } from "../../../src/features/memory/record.ts";
import { DAY_MS } from "./stage.ts";

const memory = {
  ...{ id: "1", ref: "m:aaaaaa", text: "Ticket OPS-1 is half done.", permanence: "ordinary" },
  ...{ changedAtMs: 0, checkedAtMs: 0, usedAtMs: null, writtenAtMs: 0 },
} as unknown as Memory;

const asked: TaskInput = {
  ...{ memories: [memory], groups: [], paths: [] },
  ...{ files: new Map(), texts: new Map(), nowMs: 100 * DAY_MS },
};

const QUESTION = archiveTask.question(asked);
const QUESTION_TOKENS =
  64 + Math.ceil((Buffer.byteLength(QUESTION.system) + Buffer.byteLength(QUESTION.prompt)) / 3);

const said = (text: string): Answer => ({
  ...{ kind: "answered", text, inputTokens: 0, outputTokens: 0 },
});

function ask(tokensLeft: number, ...answers: readonly Answer[]) {
  return runAsk(["a/b"], tokensLeft, answers);
}

async function runAsk(
  models: readonly [string | null, ...string[]],
  tokensLeft: number,
  answers: readonly Answer[],
) {
  const calls: AskOptions[] = [];
  const prompts: string[] = [];
  const port = {
    ask: async ({ prompt }: { readonly prompt: string }, options: AskOptions) => {
      calls.push(options);
      prompts.push(prompt);
      return answers[calls.length - 1] ?? said('{"proposals": []}');
    },
  };
  const end = await askForProposals(port, {
    ...{ task: archiveTask, asked, models: new ModelChain(models), active: 10 },
    ...{ taken: { lost: 0, merged: 0 }, tokensLeft: () => tokensLeft },
  });
  return { calls, prompts, end };
}

describe("a model that fails", () => {
  const fails = (code: AskFailure): Answer => createFailedAnswer(code);
  const models = ["a/b", "c/d"] as const;
  const listAskedModels = (calls: readonly AskOptions[]) => calls.map(({ model }) => model);

  test.each(["timeout", "rate_limited", "unavailable", "refused", "no_model"] as const)(
    "by %s is followed by the next, with the same question",
    async (code) => {
      const { calls, prompts, end } = await runAsk(models, 50_000, [fails(code)]);
      expect(listAskedModels(calls)).toEqual(["a/b", "c/d"]);
      expect(prompts[1]).toBe(String(prompts[0]));
      expect(end.kind).toBe("checked");
    },
  );

  test("is the last of them: the step is tried again later, and says by what", async () => {
    const { calls, end } = await runAsk(models, 50_000, [fails("timeout"), fails("refused")]);
    expect(listAskedModels(calls)).toEqual(["a/b", "c/d"]);
    expect(end).toEqual({ kind: "failed", code: "refused" });
  });

  test.each(["stopped", "host_failed", "too_many_calls", "over_budget"] as const)(
    "is not at fault for %s: no other one is asked",
    async (code) => {
      expect((await runAsk(models, 50_000, [fails(code)])).calls).toHaveLength(1);
    },
  );

  test("takes no more of the run's budget than is left", async () => {
    let left = 20_000;
    const used: number[] = [];
    const port = {
      ask: async (_: unknown, { maxOutputTokens }: AskOptions) => {
        used.push(maxOutputTokens);
        left -= 19_900;
        return fails("timeout");
      },
    };
    const input = { task: archiveTask, asked, active: 10, taken: { lost: 0, merged: 0 } };
    const chain = new ModelChain(models);
    const end = await askForProposals(port, { ...input, models: chain, tokensLeft: () => left });
    expect([used.length, end]).toEqual([1, { kind: "over", code: "budget" }]);
  });
});

describe("a call", () => {
  test("may answer with what is left after the question, 8,000 tokens at most, within three minutes", async () => {
    const most = (tokensLeft: number) => ask(QUESTION_TOKENS + tokensLeft);
    expect((await most(20_000)).calls).toEqual([
      { timeoutMs: 180_000, maxOutputTokens: 8_000, model: "a/b" },
    ]);
    expect((await most(7_999)).calls).toMatchObject([{ maxOutputTokens: 7_999 }]);
    expect((await most(512)).calls).toMatchObject([{ maxOutputTokens: 512 }]);
    const { calls, end } = await most(511);
    expect([calls.length, end]).toEqual([0, { kind: "over", code: "budget" }]);
  });

  test("that the day's budget doesn't hold, or that has no model, ends the run", async () => {
    const ends = async (code: AskFailure) => (await ask(99_999, createFailedAnswer(code))).end;
    expect(await ends("over_budget")).toEqual({ kind: "over", code: "budget" });
    expect(await ends("no_model")).toEqual({ kind: "over", code: "no_model" });
    expect(await ends("timeout")).toEqual({ kind: "failed", code: "timeout" });
    expect(await ends("stopped")).toEqual({ kind: "failed", code: "stopped" });
  });

  test("that ends without an answer, or with half of one, is made once more", async () => {
    for (const code of ["empty", "too_long"] as const) {
      const { prompts, end } = await ask(99_999, createFailedAnswer(code));
      expect(prompts).toEqual([
        QUESTION.prompt,
        `${QUESTION.prompt}\n\nYour last answer could not be read. There is no JSON object.`,
      ]);
      expect(end).toEqual({ kind: "checked", checked: { proposals: [], refused: [] } });
      expect((await ask(99_999, createFailedAnswer(code), createFailedAnswer(code))).end).toEqual({
        ...{ kind: "over", code: "bad_answer" },
      });
    }
  });
});

test("an answer is what its task makes of it; each thing out of format is refused", async () => {
  const archived = { do: "archive", ref: memory.ref, why: "over" };
  const proposals = [archived, { do: "dance" }, 7, { do: "archive", ref: "m:bbbbbb" }];
  const { end } = await ask(99_999, said(`Here: ${JSON.stringify({ proposals })}.`));
  const unreadable = { code: "not_in_format", ref: "" } as const;
  expect(end).toEqual({
    kind: "checked",
    checked: {
      proposals: [{ kind: "archive", id: memory.id, why: "over" }],
      refused: [{ code: "unknown_memory", ref: "m:bbbbbb" }, unreadable, unreadable],
    },
  });
});

describe("archive looks at", () => {
  const look = (given: Partial<Memory>, days: number) =>
    archiveTask.inspect({
      ...{ memories: [{ ...memory, ...given }], fresh: new Set() },
      ...{ files: new Map([["a.ts", "gone"] as const]), nowMs: days * DAY_MS },
    }).length;

  test("what was neither changed, checked nor used for 90 days", () => {
    expect([look({}, 89), look({}, 90)]).toEqual([0, 1]);
    for (const time of ["changedAtMs", "checkedAtMs", "usedAtMs"] as const) {
      expect([look({ [time]: DAY_MS }, 90), look({ [time]: DAY_MS }, 91)]).toEqual([0, 1]);
    }
  });

  test("what names a file that is gone, of whatever age, and 40 of them per question", () => {
    expect(look({ text: "It is in a.ts." }, 1)).toBe(1);
    expect(look({ text: "It is in b.ts." }, 1)).toBe(0);
    const memories = Array.from({ length: 41 }, () => memory);
    const state = { memories, files: new Map(), fresh: new Set<never>(), nowMs: 90 * DAY_MS };
    expect(archiveTask.inspect(state).map((batch) => batch.memories.length)).toEqual([40, 1]);
  });

  test("and its question says how long each was not used, and which files are gone", () => {
    const files = new Map([["a.ts", "gone"] as const]);
    const memories = [memory, { ...memory, text: "It is in a.ts.", usedAtMs: 98 * DAY_MS }];
    const { prompt } = archiveTask.question({ ...asked, memories, files });
    const [one, other] = prompt
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line));
    expect(one).toMatchObject({ daysOld: 100, daysSinceUse: "never used", filesGone: [] });
    expect(other).toMatchObject({ daysSinceUse: 2, filesGone: ["a.ts"] });
  });
});
