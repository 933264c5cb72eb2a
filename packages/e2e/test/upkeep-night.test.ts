import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import type { Memory } from "@session-runtime/opencode/features/memory/record";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "@session-runtime/opencode/features/memory/sqlite-store";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { goodModel, isHandled } from "../../plugin/test/features/maintenance/scripted-model.ts";
import {
  type MadeMemory,
  threeHundred,
} from "../../plugin/test/features/maintenance/three-hundred.ts";
import { schema } from "../../plugin/test/schema.ts";
import { writeFiles } from "../src/host/home.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { held, makeGate, say } from "../src/provider/reply.ts";
import { DAY_MS, history, OURS, useStage } from "./conformance/stage.ts";
import { openReader } from "./inbox-stage.ts";
import { CLOCK, expectNothingLeft, jobCalls, passHours } from "./jobs-stage.ts";

// Three hundred memories of mixed quality, tidied over night by the real host: the clock starts the tasks.
const SEED = 20_260_110;
/** The call of the night at which the host is killed. */
const KILLED_AT = 5;
const at3 = { schedule: "0 3 * * *" };

const stage = useStage({
  plugin: [
    [
      OURS,
      {
        ...{ memory: { enabled: true }, historian: { enabled: false } },
        jobs: { model: "anthropic/claude-second", tokensPerDay: 5_000_000 },
        upkeep: { tasks: { verify: at3, consolidate: at3, archive: at3, improve: at3 } },
      },
    ],
  ],
  env: {
    ...{ SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: CLOCK },
    SESSION_RUNTIME_TEST_LOOK_MS: "200",
  },
});

async function withStore<Result>(work: (store: MemoryStore) => Promise<Result>): Promise<Result> {
  const { database } = await openRuntimeDatabase({ schema, path: stage.host.home.database });
  try {
    return await work(database.store(createSqliteMemoryStore));
  } finally {
    database.close();
  }
}

const projectIn = async (store: MemoryStore) => {
  const project = await store.knownAt(stage.host.project);
  if (project === null) throw new Error("no session was at work here");
  return project;
};

const all = () => withStore(async (store) => store.list(await projectIn(store)));

/** As sessions of the last months would have left them. */
function remember(memories: readonly MadeMemory[]): Promise<ReadonlyMap<string, MadeMemory>> {
  return withStore(async (store) => {
    const project = await projectIn(store);
    const made = new Map<string, MadeMemory>();
    for (const one of memories) {
      const { text, category, daysOld } = one;
      const wording = { category, text, importance: 50, permanence: "ordinary" } as const;
      const nowMs = Date.now() - daysOld * DAY_MS;
      const by = { by: "historian", sessionId: null, segment: null, nowMs } as const;
      const [outcome] = await store.apply(project, [{ kind: "add", wording }], by);
      if (outcome?.kind !== "done") throw new Error(`Not added: ${text}`);
      made.set(outcome.memory.ref, one);
    }
    return made;
  });
}

async function shell(...words: readonly string[]): Promise<string> {
  const { home, project } = stage.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  const ran = await runCli(words, env, project);
  expect(ran).toMatchObject({ err: "", exitCode: 0 });
  return ran.out;
}

interface RunRow {
  readonly task: string;
  readonly asked_by: string;
  readonly ended_at_ms: number | null;
  readonly code: string | null;
}

function runs(): readonly RunRow[] {
  const database = openReader(stage.host.home.database);
  try {
    return database
      .query<RunRow, []>("SELECT task, asked_by, ended_at_ms, code FROM upkeep_run ORDER BY id")
      .all();
  } finally {
    database.close();
  }
}

function tokensUsed(): number {
  const database = openReader(stage.host.home.database);
  try {
    const sum = "SELECT sum(input_tokens + output_tokens) AS used FROM job WHERE kind = 'upkeep'";
    return database.query<{ used: number }, []>(sum).get()?.used ?? 0;
  } finally {
    database.close();
  }
}

const toQuestion = (record: CallRecord) => ({
  system: record.system,
  prompt: history(record)[0]?.text ?? "",
});

const isActive = ({ state }: Memory) => state.kind === "active";
const words = (memories: readonly Memory[]) =>
  memories
    .filter(isActive)
    .map(({ id, text, category, importance, by }) => ({ id, text, category, importance, by }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));

describe("a night of upkeep on the real host", () => {
  test("Z1, Z3, Z14: of three hundred memories at most 3 % of the good ones are lost, 95 % of the marked ones handled, in budget, over a kill, all undone by one command", async () => {
    const { memories, files } = threeHundred(SEED);
    const talk = await stage.talk();
    await talk.say("Hello");
    writeFiles(stage.host.project, Object.fromEntries(files));
    execFileSync("git", ["-C", stage.host.project, "add", "--all"]);
    const made = await remember(memories);
    const before = await all();
    expect(before).toHaveLength(300);

    const model = goodModel();
    const gate = makeGate();
    stage.provider.script.respond("job", (record) => {
      const answer = say(model(toQuestion(record), made));
      return jobCalls(stage).length === KILLED_AT ? held(gate, answer) : answer;
    });
    passHours(25);
    const began = performance.now();
    // In the middle of a call: the next start takes the run up.
    await eventually("the night begins", () => jobCalls(stage).length === KILLED_AT);
    await stage.host.kill9();
    gate.open();
    await stage.host.start({});
    await (await stage.talk()).say("Is anybody there?");
    const isOver = () =>
      runs().length === 4 && runs().every(({ ended_at_ms }) => ended_at_ms !== null);
    await eventually(() => JSON.stringify(runs()), isOver, 100_000);
    const took = (performance.now() - began) / 1_000;
    const calls = jobCalls(stage).length;
    console.log(`a night: ${calls} calls, ${tokensUsed()} tokens, ${took.toFixed(1)} s`);
    expect(runs().map(({ task, asked_by, code }) => [task, asked_by, code])).toEqual([
      ["verify", "schedule", null],
      ["consolidate", "schedule", null],
      ["archive", "schedule", null],
      ["improve", "schedule", null],
    ]);

    const active = (await all()).filter(isActive);
    const isGood = ({ mark }: MadeMemory) => mark === "good";
    const [good, marked] = [memories.filter(isGood), memories.filter((one) => !isGood(one))];
    const lost = good.filter((one) => !isHandled(one, active));
    const open = marked.filter((one) => !isHandled(one, active));
    expect(lost.length).toBeLessThanOrEqual(good.length * 0.03);
    expect(open.length).toBeLessThanOrEqual(marked.length * 0.05);
    expect(tokensUsed()).toBeLessThan(4 * 100_000);

    const report = await shell("upkeep");
    for (const task of ["verify", "consolidate", "archive", "improve"]) {
      expect(report).toMatch(new RegExp(`${task}, done; .*checked; \\d+ changes`));
    }
    expect(await shell("upkeep", "show", "3")).toContain("Why: over");
    const next = await stage.talk();
    await next.say("Good morning");
    expect(next.last().system).not.toContain("OPS-4100");

    expect(await shell("upkeep", "undo", "all")).toContain("memories are as they were before.");
    expect(words(await all())).toEqual(words(before));
    await expectNothingLeft(stage);
  });
});
