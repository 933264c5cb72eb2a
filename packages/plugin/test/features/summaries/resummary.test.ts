import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { defaults } from "../../../src/config/defaults.ts";
import { selectSettings } from "../../../src/feature-api/settings.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { historyConfig } from "../../../src/features/history/settings.ts";
import { historianConfig } from "../../../src/features/summaries/config.ts";
import { resummarizeCli } from "../../../src/features/summaries/resummarize-cli.ts";
import {
  createResummarizeCommand,
  createResummaryStore,
  describeProgress,
} from "../../../src/features/summaries/resummary.ts";
import { readHistorianSection } from "../../../src/features/summaries/section.ts";
import { hasWork } from "../../../src/features/summaries/write-job.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import { createJobStore } from "../../../src/storage/job-store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { HistorianStage, PLACE, PROJECT, session, turns, wellWritten } from "./stage.ts";

const workspace = new Workspace();
const other = "ses_2" as SessionId;

async function written(): Promise<HistorianStage> {
  const stage = new HistorianStage(workspace);
  await stage.sent(turns(14));
  stage.messages = turns(30);
  return stage;
}

/** A session that was last at work in a folder. */
function work(stage: HistorianStage, id: SessionId, directory: string): void {
  stage.driver.run("INSERT OR IGNORE INTO session (id, created_at_ms) VALUES (?, 1)", id);
  stage.driver.run(
    `INSERT INTO epoch (session_id, seq, cause, directory, worktree, baseline, parts, snapshot,
       started_at_ms) SELECT id, head_seq + 1, 'first', ?, ?, '""', '[]', '{}', 1
     FROM session WHERE id = ?`,
    directory,
    directory,
    id,
  );
}

async function shell(
  stage: HistorianStage,
  given: Readonly<Record<string, string | boolean>>,
  settings: object = {},
) {
  const around = { env: {}, config: async () => ({ ...defaults, ...settings }) };
  const asked = {
    driver: stage.driver,
    directory: PROJECT,
    nowMs: 1_000,
    typed: renderInstalledCommand,
    ...around,
  };
  return resummarizeCli.run({ ...asked, given: new Map(Object.entries(given)) });
}

describe("/ctx-resummarize", () => {
  function command(stage: HistorianStage, hasWork = true) {
    const woken: string[] = [];
    const context = {
      database: {
        ensure: async () => undefined,
        current: () => ({
          store: (make: never) => (make as typeof createResummaryStore)(stage.driver),
        }),
      },
      jobs: { wake: () => void woken.push("yes"), place: PLACE },
      now: () => 2_000,
      hasWork: async () => hasWork,
    } as never;
    const open = createResummarizeCommand(context);
    if (open.kind !== "action") throw new Error("It acts");
    const say = async (args = "") =>
      (await open.act({ sessionId: session, args, files: [], process: "stays" })).text;
    return { say, woken };
  }

  test("with nothing to summarise says so, and begins nothing", async () => {
    const stage = await written();
    const before = stage.jobs().length;
    const { say, woken } = command(stage, false);
    expect(await say()).toStartWith("There is nothing to summarise");
    expect([stage.jobs().length, woken]).toEqual([before, []]);
  });

  test("begins, says how far it is, stops, and begins again from the beginning", async () => {
    const stage = await written();
    const { say, woken } = command(stage);
    expect(await say("stop")).toContain("nothing to stop");
    expect(await say()).toContain("summarises this session's older history again");
    expect(woken).toHaveLength(1);
    expect(await say()).toContain("0 segments of 0 messages so far (job 2)");
    expect(await say("stop")).toBe("Stopped. What was written so far is kept.");
    expect(stage.jobs().at(-1)).toMatchObject({ state: "given_up", error: "stopped" });
    expect(await say("what")).toContain("alone, or with `stop`");
    await say();
    await stage.runAll();
    expect(createResummaryStore(stage.driver).newest(session)).toMatchObject({
      ...{ state: "done", generation: 2 },
    });
    expect(stage.segments(session, 0)).toEqual([]);
    expect(stage.segments(session, 2).length).toBeGreaterThan(10);
  });
});

test("a session has something to summarise once enough is older than its tail says so, and begins nothing", async () => {
  const stage = new HistorianStage(workspace);
  stage.messages = turns(1);
  expect(await hasWork(stage.deps, session)).toBe(false);
  stage.messages = turns(30);
  expect(await hasWork(stage.deps, session)).toBe(true);
});

describe("session-runtime resummarize", () => {
  test("with the historian off is refused with an example, and what waits for it is stopped", async () => {
    const stage = await written();
    work(stage, session, PROJECT);
    expect(await shell(stage, { session })).toMatchObject({ values: { begun: [session] } });
    for (const off of [
      { historian: { ...selectSettings(defaults, historianConfig), enabled: false } },
      { history: { ...selectSettings(defaults, historyConfig), rewrite: "off" } },
    ]) {
      await expect(shell(stage, { session }, off)).rejects.toThrow(
        'The historian is off, so nothing would be summarised. Turn it on in your session-runtime.jsonc: "historian": { "enabled": true }',
      );
    }
    expect((await shell(stage, {})).text).toContain("stopped after 0 segments");
    expect(stage.jobs().filter(({ state }) => state === "due")).toEqual([]);
    // One that a process writes now is not touched.
    await shell(stage, { session });
    createJobStore(stage.driver).claim(PROJECT, PLACE.project);
    const job = stage.jobs().at(-1)?.id ?? 0;
    const lease = { owner: "one", nowMs: 5_000, expiresAtMs: 9_000 };
    createJobStore(stage.driver).take(job, lease, () => false);
    const off = { historian: { ...selectSettings(defaults, historianConfig), enabled: false } };
    expect((await shell(stage, {}, off)).text).toContain("so far");
  });

  test("has one session or all of a folder written again, lists and stops them", async () => {
    const stage = await written();
    work(stage, session, PROJECT);
    work(stage, other, PROJECT);
    work(stage, "ses_3" as SessionId, "/elsewhere");
    expect(await shell(stage, {})).toMatchObject({ values: { sessions: [] } });
    const begun = await shell(stage, { session });
    expect(begun).toMatchObject({ values: { begun: [session], opencode: "no" } });
    expect(begun.text).toContain("No session is open now");
    expect(await shell(stage, { all: true })).toMatchObject({ values: { begun: [other] } });
    expect((await shell(stage, {})).text.split("\n")).toHaveLength(2);
    expect(await shell(stage, { all: true, stop: true })).toMatchObject({
      values: { stopped: expect.arrayContaining([session, other]) },
    });
    const open = stage.jobs().filter(({ state }) => state === "due");
    expect(open).toEqual([]);
  });

  test("refuses a session of another folder, both at once, and to stop nothing in particular", async () => {
    const stage = await written();
    work(stage, session, PROJECT);
    const misuses = [
      { session: "ses_9" },
      { session: "../x" },
      { session, all: true },
      { stop: true },
    ];
    for (const given of misuses) await expect(shell(stage, given)).rejects.toThrow(UserFacingError);
    expect(stage.jobs()).toHaveLength(1);
  });
});

test("how far one is in words: so far, done, stopped, or given up with the way to continue it", () => {
  const far = { sessionId: session, generation: 1, segments: 1, messages: 4, jobId: 1_234 };
  const words = (["running", "done", "stopped", "failed"] as const).map((state) =>
    describeProgress({ ...far, state }),
  );
  expect(words).toEqual([
    "1 segment of 4 messages so far (job 1,234)",
    "done, 1 segment of 4 messages",
    "stopped after 1 segment of 4 messages",
    "given up after 1 segment of 4 messages: `session-runtime jobs` says why, `session-runtime jobs retry 1234` continues it",
  ]);
});

test("what was given up without a stop has failed; only what runs can be stopped, and what waits waits", async () => {
  const stage = await written();
  const store = createResummaryStore(stage.driver);
  expect([store.waits(session), store.stop(session), store.newest(session)]).toEqual([
    ...[false, false, null],
  ]);
  expect(store.begin(session, PLACE, 2_000)).toBe(true);
  expect([store.begin(session, PLACE, 2_000), store.waits(session)]).toEqual([false, true]);
  stage.answer = () => ({ fails: "refused" });
  await stage.runAll();
  expect(store.newest(session)).toMatchObject({ state: "failed", generation: 1, segments: 0 });
  expect([store.waits(session), store.stop(session)]).toEqual([false, false]);
  expect(store.begin(session, PLACE, 3_000)).toBe(true);
  expect(store.newest(session)).toMatchObject({ state: "running", generation: 2 });
});

test("of a folder's sessions the newest comes first", async () => {
  const stage = await written();
  for (const [id, createdAtMs] of [
    ["ses_a", 5],
    ["ses_b", 9],
    ["ses_c", 9],
  ] as const) {
    stage.driver.run("INSERT INTO session (id, created_at_ms) VALUES (?, ?)", id, createdAtMs);
    work(stage, id as SessionId, PROJECT);
  }
  expect(createResummaryStore(stage.driver).sessionsIn(PROJECT)).toEqual([
    ...(["ses_b", "ses_c", "ses_a"] as SessionId[]),
  ]);
});

test("the models that write are named by provider and model", async () => {
  const keys = z.object(await historianConfig.keys(z)).partial();
  const takes = (value: object) => keys.safeParse(value).success;
  for (const model of ["a/b", "router/a/b:free"]) expect(takes({ models: [model] })).toBe(true);
  for (const model of ["a", "/b", "a/", "a b/c", "a/b c", " a/b"]) {
    expect(takes({ models: [model] })).toBe(false);
  }
  const many = (count: number) => Array.from({ length: count }, () => "a/b");
  expect([takes({ models: many(8) }), takes({ models: many(9) })]).toEqual([true, false]);
  expect([1_000, 200_000].every((batchTokens) => takes({ batchTokens }))).toBe(true);
  expect([999, 200_001, 1_000.5].some((batchTokens) => takes({ batchTokens }))).toBe(false);
});

describe("the status", () => {
  const said = (stage: HistorianStage) => readHistorianSection(stage.driver)(session, 1, null);

  test("says what is summarised, by whom, what waits and what was given up", async () => {
    const stage = new HistorianStage(workspace);
    expect(said(stage)).toBeNull();
    await stage.watch.onSent(session, turns(14));
    expect(said(stage)).toEqual({
      ...{ label: "Historian", short: "writing" },
      text: "Nothing is summarised yet.\n1 range to be summarised.",
    });
    stage.answer = (call) => (stage.calls.length > 1 ? "No." : wellWritten(call));
    stage.messages = turns(14);
    await stage.runAll();
    await stage.sent(turns(24));
    createResummaryStore(stage.driver).begin(session, PLACE, 5);
    createJobStore(stage.driver).stop(stage.jobs().at(-1)?.id ?? 0);
    expect(said(stage)?.text.split("\n")).toEqual([
      "4 segments of 16 messages, by mock/small.",
      "1 range given up: extracts are sent instead.",
      "Summarised again: stopped after 0 segments of 0 messages.",
    ]);
  });
});
