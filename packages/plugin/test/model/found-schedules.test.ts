import { afterAll, describe, expect, test } from "bun:test";
import { plainSetting, Stage } from "./run.ts";
import { plainCall as call } from "./steps.ts";

const pruning = { ...plainSetting, hostPrune: "on" } as const;
const stage = new Stage();
afterAll(() => stage.dispose());

describe("schedules that were found once", () => {
  test("I1: a reminder that could not be stored is not held, also where an undo comes back to its epoch", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const { violations } = await stage.run({
      setting: { ...pruning },
      steps: [
        { ...prompt, agent: "plan", model: "gpt" },
        {
          ...{ ...prompt, agent: "build", model: "opus" },
          call: { ...call, fault: { kind: "error", atCall: 2 } },
        },
        { do: "restart" },
        { do: "compact", slot: 0, tail: 0, outcome: "done", goesOn: false, title: false, call },
        { ...prompt, agent: "build", model: "gpt" },
        { do: "undo", slot: 0, prompts: 2 },
        { ...prompt, agent: "build", model: "opus", call: { ...call, retries: 1 } },
      ],
    });
    expect(violations).toEqual([]);
  });

  test("I1: what a crash left of a compaction's epoch begins no epoch once the compaction is undone", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const crashed = { ...call, fault: { kind: "crash", atCall: 8, strikes: "before" } } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning, history: "omits" },
      steps: [
        { ...prompt, agent: "plan", model: "opus", call: { ...call, worth: true } },
        {
          ...{ do: "compact", slot: 0, tail: 0, outcome: "done", goesOn: true, title: false },
          call: crashed,
        },
        { do: "undo", slot: 0, prompts: 2 },
        { ...prompt, agent: "build", model: "gpt", call: { ...call, full: true } },
      ],
    });
    expect(calls.map(({ opened }) => opened?.cause)).toEqual(["first", undefined]);
    expect(violations).toEqual([]);
  });

  test("I1: where a compaction that died took the epoch's start, the epoch goes on over a call of the host's own", async () => {
    const prompt = { do: "prompt", slot: 0, model: "opus", own: null, call } as const;
    const compact = { do: "compact", slot: 0, goesOn: false, title: false, call } as const;
    const unread = { ...call, fault: { kind: "error", atCall: 1 } } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning },
      steps: [
        {
          ...{ ...prompt, agent: "build", model: "gpt" },
          call: { ...call, fault: { kind: "crash", atCall: 1, strikes: "before" } },
        },
        { ...compact, tail: 0, outcome: "done" },
        { ...prompt, agent: "plan" },
        { ...compact, tail: 1, outcome: "dies" },
        { ...prompt, agent: "build", call: unread },
        { ...prompt, agent: "build" },
      ],
    });
    expect(calls.map(({ opened }) => opened?.cause)).toEqual(["first", undefined, undefined]);
    expect(calls.map(({ live }) => live)).toEqual([false, true, false]);
    expect(violations).toEqual([]);
  });

  test("I14: a compaction is shown what a call decided that a crash took", async () => {
    const prompt = { do: "prompt", slot: 0, agent: "build", own: null, call } as const;
    const compact = { do: "compact", slot: 0, outcome: "done", title: true, call } as const;
    const { violations } = await stage.run({
      setting: { ...pruning, history: "omits" },
      steps: [
        { ...prompt, model: "opus", call: { ...call, outcome: "sub" } },
        { ...prompt, model: "gpt" },
        {
          ...{ ...compact, tail: 3, goesOn: true },
          call: { ...call, fault: { kind: "crash", atCall: 16, strikes: "after" } },
        },
        { ...compact, tail: 0, goesOn: false },
      ],
    });
    expect(violations).toEqual([]);
  });

  test("I1: a reminder whose boundary was lost to another process is recorded at the next one", async () => {
    const prompt = { do: "prompt", slot: 0, model: "opus", own: null, call } as const;
    const unread = { ...call, fault: { kind: "error", atCall: 1 } } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning },
      steps: [
        { ...prompt, agent: "plan" },
        { do: "other process" },
        { ...prompt, agent: "plan" },
        { do: "other process" },
        { ...prompt, agent: "build", call: unread },
        { ...prompt, agent: "build" },
      ],
    });
    expect(calls).toHaveLength(4);
    expect(violations).toEqual([]);
  });

  test("I1: a result that showed an instruction and was pruned unsent stays blanked in an epoch that begins then", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning, onModelSwitch: "fold" },
      steps: [
        { ...prompt, agent: "build", model: "opus", call: { ...call, outcome: "deep" } },
        // It counts as a turn: the host's prune leaves the newest ones.
        { do: "compact", slot: 0, tail: 0, outcome: "fails", goesOn: false, title: false, call },
        { do: "prune", slot: 0 },
        { ...prompt, agent: "build", model: "gpt" },
        { ...prompt, agent: "build", model: "gpt" },
      ],
    });
    const told = calls.map(({ blocks }) => blocks.some(({ text }) => text.includes("[Old tool")));
    expect(told).toEqual([false, true, true]);
    expect(violations).toEqual([]);
  });

  test("I6: an undo that could not be recorded before a compaction is not forgotten with it", async () => {
    const prompt = { do: "prompt", slot: 0, agent: "build", model: "opus", own: null } as const;
    const compact = { do: "compact", slot: 0, goesOn: false, title: false, call } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning },
      steps: [
        { ...prompt, call: { ...call, outcome: "deep" } },
        { ...prompt, call },
        // A head that is lost for a while: what its results showed counts as forgotten, and comes back.
        { ...compact, tail: 1, outcome: "fails" },
        { ...prompt, call },
        { do: "undo", slot: 0, prompts: 2 },
        { ...prompt, call: { ...call, fault: { kind: "error", atCall: 2 } } },
        { ...compact, tail: 0, outcome: "done" },
        { ...prompt, call },
      ],
    });
    expect(calls.map(({ disturbed }) => disturbed).lastIndexOf(true)).toBe(3);
    expect(calls.at(-1)?.opened?.cause).toBe("compacted");
    expect(violations).toEqual([]);
  });

  test("I14: a compaction after the undo of a compaction is shown the edits of the epoch before", async () => {
    const prompt = {
      do: "prompt",
      slot: 0,
      agent: "build",
      model: "opus",
      own: null,
      call,
    } as const;
    const done = { tail: 0, outcome: "done", goesOn: false, title: false } as const;
    const compact = { ...done, do: "compact", slot: 0, call } as const;
    const { calls, violations } = await stage.run({
      setting: { ...pruning, history: "omits" },
      steps: [prompt, prompt, compact, prompt, { do: "undo", slot: 0, prompts: 2 }, compact],
    });
    expect(calls.at(-1)?.edits.map(({ epochSeq }) => epochSeq)).toEqual([1, 3]);
    expect(violations).toEqual([]);
  });

  test("I17: a call that failed while a fold waited for its epoch is bounded", async () => {
    const prompt = {
      do: "prompt",
      slot: 0,
      agent: "build",
      model: "opus",
      own: null,
      call,
    } as const;
    const unstored = { ...call, outcome: "flood", fault: { kind: "error", atCall: 7 } } as const;
    const { calls, violations } = await stage.run({
      setting: { ...plainSetting, onModelSwitch: "fold", history: "folds" },
      steps: [
        prompt,
        prompt,
        { ...prompt, model: "gpt", call: unstored },
        { do: "go on", slot: 0, call },
      ],
    });
    expect(calls.map(({ live }) => live)).toEqual([false, false, true, false]);
    expect(calls.at(-1)?.opened?.cause).toBe("model");
    expect(violations).toEqual([]);
  });

  test("I17, I28: an epoch that a crash prepared begins with what was decided since, too", async () => {
    const prompt = { do: "prompt", slot: 0, agent: "build", own: null } as const;
    const flood = { ...call, outcome: "flood" } as const;
    const crashed = { ...call, fault: { kind: "crash", atCall: 6, strikes: "after" } } as const;
    const { calls, violations } = await stage.run({
      setting: { ...plainSetting, onModelSwitch: "fold" },
      steps: [
        { ...prompt, model: "gpt", call: flood },
        { ...prompt, model: "opus", call: crashed },
        { ...prompt, model: "gpt", call: flood },
        { do: "go on", slot: 0, call },
        { ...prompt, model: "opus", call },
      ],
    });
    expect(calls.at(-1)?.opened?.cause).toBe("model");
    expect(violations).toEqual([]);
  });

  test("I1: after a day, a call of the host's own in between leaves the cache as cold as it was", async () => {
    const prompt = { do: "prompt", slot: 0, agent: "build", model: "opus", own: null } as const;
    const unread = { ...call, fault: { kind: "error", atCall: 1 } } as const;
    const { calls, violations } = await stage.run({
      setting: pruning,
      steps: [
        { ...prompt, call: { ...call, outcome: "bash" } },
        { do: "go on", slot: 0, call },
        { ...prompt, call },
        { do: "wait", ms: 86_400_000 },
        { do: "restart" },
        { ...prompt, model: "gpt", call: unread },
        { do: "prune", slot: 0 },
        { ...prompt, call },
      ],
    });
    expect(calls.map(({ live }) => live)).toEqual([false, false, false, true, false]);
    expect(calls.at(-1)?.blocks.some(({ text }) => text.includes("[Old tool"))).toBe(true);
    expect(violations).toEqual([]);
  });
});
