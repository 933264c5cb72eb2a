import { describe, expect, test } from "bun:test";
import { defaults } from "../../../src/config/defaults.ts";
import { createFailedAnswer } from "../../../src/feature-api/job.ts";
import { maintenanceCli } from "../../../src/features/maintenance/maintenance-cli.ts";
import { readMaintenanceSection } from "../../../src/features/maintenance/report.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import { renderCount } from "../../../src/status/wording.ts";
import { createJobStore } from "../../../src/storage/job-store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { DAY_MS, formatProposals, shownIn, UpkeepStage } from "./stage.ts";

const workspace = new Workspace();
const open = (tasks?: ConstructorParameters<typeof UpkeepStage>[1]) =>
  new UpkeepStage(workspace, tasks).enter();

const archiveAll: UpkeepStage["answer"] = (call) =>
  formatProposals(
    ...shownIn(call, "memories").map(({ ref }) => ({ do: "archive", ref, why: "over" })),
  );

async function withStale(count: number, tasks?: ConstructorParameters<typeof UpkeepStage>[1]) {
  const stage = await open(tasks);
  for (let at = 0; at < count; at++) {
    await stage.remember(`Ticket OPS-${at} is half done.`, { daysOld: 300 });
  }
  stage.answer = archiveAll;
  return stage;
}

const newest = (stage: UpkeepStage) => stage.runs().list("commit:abc" as never, "/shop", 1)[0];

describe("a run", () => {
  test("Z9: is the only one of its project at a time, from whatever folder", async () => {
    const stage = await withStale(2);
    await stage.desk("run archive");
    await expect(stage.desk("run verify")).rejects.toThrow(
      "A run is already in progress for this project",
    );
    const clone = {
      project: "commit:abc" as never,
      directory: "/clone",
      board: "/clone",
      askedBy: "schedule",
    } as const;
    expect(stage.runs().begin({ ...clone, tasks: ["verify"] }, stage.nowMs)).toBeNull();
    await stage.runAll();
    expect(stage.runs().begin({ ...clone, tasks: ["verify"] }, stage.nowMs)).not.toBeNull();
  });

  test("Z9: that nobody takes up makes room after a day, and one whose job was stopped at once", async () => {
    const stage = await withStale(2);
    await stage.desk("run archive");
    stage.nowMs += DAY_MS + 60_000;
    await stage.desk("run verify");
    expect(stage.runs().find(1)).toMatchObject({ code: "abandoned" });
    createJobStore(stage.driver).stop(newest(stage)?.jobId ?? 0);
    await stage.desk("run improve");
    expect(stage.runs().find(2)).toMatchObject({ code: "stopped" });
  });

  test("Z9: whose job is gone for good ends as stopped", async () => {
    const stage = await withStale(2);
    await stage.desk("run archive");
    stage.driver.run("DELETE FROM job");
    await stage.desk("run improve");
    expect(stage.runs().find(1)).toMatchObject({ code: "stopped" });
  });

  test("Z9: that began before its folder had a first commit is the project's: it is stopped by hand, ends, and lets no other begin", async () => {
    const stage = await open();
    const { project } = stage;
    stage.project = { ...project, id: "folder:/shop" as never };
    await stage.desk("run archive");
    stage.project = project;
    await expect(stage.desk("run verify")).rejects.toThrow(
      "A run is already in progress for this project",
    );
    expect((await stage.desk("stop")).text).toStartWith("Stopped run 1.");
    stage.project = { ...project, id: "folder:/shop" as never };
    await stage.desk("run archive");
    stage.project = project;
    createJobStore(stage.driver).stop(newest(stage)?.jobId ?? 0);
    await stage.desk("list");
    expect(newest(stage)).toMatchObject({ id: 2, code: "stopped" });
    const elsewhere = { project: "commit:other" as never, directory: "/other" };
    expect(stage.runs().stop(elsewhere, stage.nowMs)).toBeNull();
  });

  test("Z10: stays in its budget, ends with what it has, and the next one looks at the rest", async () => {
    const stage = await withStale(200, { tasks: { archive: { tokensPerRun: 6_000 } } });
    stage.answer = () => formatProposals();
    await stage.run("archive");
    const run = newest(stage);
    expect(run).toMatchObject({ code: "budget" });
    const looked = stage.runs().looks(run?.id ?? 0).size;
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(200);
    expect(stage.runs().tokens(run?.id ?? 0)).toBeLessThanOrEqual(6_000);
    const first = stage.runs().looks(run?.id ?? 0);
    await stage.run("archive");
    const again = [...stage.runs().looks(2)].filter((id) => first.has(id));
    expect(again).toEqual([]);
  });

  test("Z10: the budget of a day holds over its runs", async () => {
    const stage = await withStale(200, { tasks: { archive: { tokensPerDay: 6_000 } } });
    stage.answer = () => formatProposals();
    await stage.run("archive");
    const calls = stage.calls.length;
    await stage.run("archive");
    expect(stage.calls.length).toBe(calls);
    expect(newest(stage)).toMatchObject({ code: "budget" });
    const { tokens, countUsedTokens } = stage.runs();
    expect(countUsedTokens("commit:abc" as never, "archive", 0)).toBe(tokens(1) + tokens(2));
    expect(countUsedTokens("commit:abc" as never, "verify", 0)).toBe(0);
    expect(countUsedTokens("commit:other" as never, "archive", 0)).toBe(0);
    stage.nowMs += DAY_MS;
    await stage.run("archive");
    expect(stage.calls.length).toBeGreaterThan(calls);
  });

  test("asks again what could not be read, once, and ends then", async () => {
    const stage = await withStale(2);
    stage.answer = () => "No.";
    await stage.run("archive");
    expect(stage.calls).toHaveLength(2);
    expect(stage.calls[1]?.prompt).toContain("could not be read. There is no JSON object.");
    expect(newest(stage)).toMatchObject({ code: "bad_answer" });
  });

  test("Z2: an answer of a megabyte is not looked at", async () => {
    const stage = await withStale(2);
    const text = `{"proposals": [${'{"do":"archive","ref":"m:aaaaaa"},'.repeat(30_000)}]}`;
    const answered = { kind: "answered", text } as const;
    stage.answer = () => ({ ...answered, inputTokens: 9, outputTokens: 9 });
    await stage.run("archive");
    expect(newest(stage)).toMatchObject({ code: "bad_answer" });
    expect(await stage.active()).toHaveLength(2);
  });

  test("is tried again where the provider fails, and given up after the third time", async () => {
    const stage = await withStale(2);
    let times = 0;
    stage.answer = (call) => (++times < 3 ? createFailedAnswer("unavailable") : archiveAll(call));
    await stage.run("archive");
    expect(await stage.active()).toEqual([]);
    const other = await withStale(2);
    other.answer = () => createFailedAnswer("unavailable");
    await other.run("archive");
    expect((await other.desk("list")).text).toContain("ended: unavailable");
  });

  test("without a model, and of a task that is not set, ends and says so", async () => {
    const stage = await withStale(2);
    stage.answer = () => createFailedAnswer("no_model");
    await stage.run("archive");
    expect((await stage.desk("list")).text).toContain("there is no model for it");
    const other = await withStale(2, { tasks: { improve: {} } });
    const began = {
      project: other.project.id,
      directory: "/shop",
      board: "/shop",
      askedBy: "shell",
    } as const;
    other.runs().begin({ ...began, tasks: ["archive"] }, other.nowMs);
    await other.runAll();
    expect((await other.desk("list")).text).toContain("archive, ended: the task is not set");
    expect(other.calls).toEqual([]);
  });

  test("of all tasks leaves out those that are not set", async () => {
    const stage = await withStale(2, { tasks: { archive: {}, improve: {} } });
    const all = ["verify", "consolidate", "archive", "docs"] as const;
    const asked = {
      project: "commit:abc" as never,
      directory: "/shop",
      board: "/shop",
      askedBy: "shell",
    } as const;
    stage.runs().begin({ ...asked, tasks: all }, stage.nowMs);
    await stage.runAll();
    const runs = stage.runs().list("commit:abc" as never, "/shop", 9);
    expect(runs.map(({ task, code }) => [task, code])).toEqual([
      ["docs", "task_off"],
      ["archive", null],
    ]);
  });

  test("Z11: leaves alone what a person has changed since it was shown", async () => {
    const stage = await withStale(2);
    const [one] = await stage.active();
    stage.answer = (call) => {
      const row =
        "UPDATE memory SET text = 'Corrected by hand.', changed_at_ms = changed_at_ms + 7";
      stage.driver.run(`${row} WHERE id = ?`, one?.id ?? "");
      return archiveAll(call);
    };
    await stage.run("archive");
    expect(await stage.texts()).toEqual(["Corrected by hand."]);
    expect((await stage.desk("show")).text).toContain("as the memory was changed in between");
  });

  test("is shown by its number among several; one that never was is not", async () => {
    const stage = await withStale(2);
    await stage.run("archive");
    await stage.run("improve");
    expect((await stage.desk("show 1")).text).toStartWith("1  archive, done");
    expect((await stage.desk("show")).text).toStartWith("2  improve, done");
    await expect(stage.desk("show 3")).rejects.toThrow("This project has no run 3.");
  });

  test("shows what it did with the old text and the reason, and what it refused", async () => {
    const stage = await withStale(1);
    stage.answer = (call) =>
      formatProposals(...JSON.parse(String(archiveAll(call))).proposals, {
        do: "archive",
        ref: "m:000000",
      });
    await stage.run("archive");
    const { text } = await stage.desk("show 1");
    expect(text).toContain("archive, done");
    expect(text).toContain("Why: over");
    expect(text).toContain("Ticket OPS-0 is half done.");
    expect(text).toContain("refused 1, about memories that were not shown: m:000000");
    expect((await stage.desk("list")).text).toMatch(
      /1 item checked; 1 change; 1 refused; \d+ tokens/,
    );
  });
});

describe("the status of a session", () => {
  const SES = "ses_1" as SessionId;

  /** In this folder since its newest epoch. */
  function enters({ driver }: UpkeepStage, directory: string, seq: number): void {
    driver.run("INSERT OR IGNORE INTO session (id, created_at_ms) VALUES (?, 1)", SES);
    driver.run(
      `INSERT INTO epoch (session_id, seq, cause, directory, worktree, baseline, parts, snapshot,
         started_at_ms) VALUES (?, ?, 'first', ?, ?, '""', '[]', '{}', 1)`,
      ...[SES, seq, directory, directory],
    );
  }

  test("has the newest run of its folder: what it is at, what it did and refused, and its tokens", async () => {
    const stage = await withStale(8);
    const section = () => readMaintenanceSection(stage.driver)(SES, 0, null);
    enters(stage, "/other", 1);
    await stage.run("archive");
    expect(section()).toBeNull();
    enters(stage, "/shop", 2);
    const tokens = renderCount(stage.runs().tokens(1), "token");
    expect(section()).toEqual({
      label: "Upkeep",
      text: `Run 1, archive: done; 3 changes, 5 refused; ${tokens}.`,
      short: null,
    });
    await stage.desk("run improve");
    expect(section()).toEqual({
      label: "Upkeep",
      text: "Run 2, improve: running; 0 changes, 0 refused; 0 tokens.",
      short: "improve is running",
    });
  });
});

describe("undo", () => {
  test("Z12: brings everything back, and a second time changes nothing", async () => {
    const stage = await withStale(5);
    const before = await stage.texts();
    await stage.run("archive");
    expect(await stage.texts()).toHaveLength(2);
    expect((await stage.desk("undo")).text).toBe("3 memories are as they were before.");
    expect(await stage.texts()).toEqual(before);
    await expect(stage.desk("undo")).rejects.toThrow("There is no run to undo.");
    expect((await stage.desk("undo 1")).text).toBe("Nothing to undo.");
    expect(await stage.texts()).toEqual(before);
    expect((await stage.desk("list")).text).toContain("3 undone");
  });

  test("Z12: leaves what somebody has changed since, and names it", async () => {
    const stage = await withStale(2);
    const memory = await stage.remember(
      "Please note that the backup is basically really kept for 30 days, which is simply what the auditors want.",
    );
    const text = "Backup kept for 30 days, what auditors want.";
    stage.answer = () => formatProposals({ do: "rewrite", ref: memory.ref, text });
    await stage.run("improve");
    await stage.edit(memory.id, "The backup is kept for 60 days.");
    const undone = await stage.desk("undo");
    expect(undone.values).toMatchObject({ back: 0, left: [memory.ref] });
    expect(undone.text).toContain(`because they have changed since: ${memory.ref}`);
    expect(await stage.texts()).toContain("The backup is kept for 60 days.");
  });

  test("Z12: leaves what somebody has put away again since", async () => {
    const stage = await withStale(2);
    await stage.run("archive");
    const gone = (await stage.all()).filter(({ state }) => state.kind === "archived");
    for (const { id } of gone) {
      for (const kind of ["restore", "archive"] as const) {
        const by = { by: "user", sessionId: null, segment: null, nowMs: ++stage.nowMs } as const;
        await stage.memories.apply("commit:abc" as never, [{ kind, id }], by);
      }
    }
    expect((await stage.desk("undo")).values).toMatchObject({ back: 0 });
    expect(await stage.texts()).toEqual([]);
  });

  test("Z12: of a merge brings back each, and takes the merged one out of view", async () => {
    const stage = await open();
    const one = await stage.remember("Coupons expire after 30 days.", { importance: 40 });
    const two = await stage.remember("Coupons expire after 30 days at COUPON_TTL.", {
      importance: 70,
    });
    const text = "Coupons expire after 30 days: COUPON_TTL.";
    stage.answer = () => formatProposals({ do: "merge", refs: [one.ref, two.ref], text });
    await stage.run("consolidate");
    expect(await stage.texts()).toEqual([text]);
    await stage.desk("undo");
    expect(await stage.active()).toMatchObject([
      { id: two.id, text: two.text, importance: 70 },
      { id: one.id, text: one.text, importance: 40 },
    ]);
  });

  test("Z12: runs are undone in any order; what a later one has changed waits for its undo", async () => {
    const stage = await open();
    const one = await stage.remember("Coupons of the shop expire after 30 days.");
    const two = await stage.remember(
      "Please note that the coupons of the shop do actually basically expire after 30 days, really, which is what the law of COUPON_TTL wants.",
    );
    const text = "Coupons of the shop expire after 30 days, what the law of COUPON_TTL wants.";
    stage.answer = () => formatProposals({ do: "rewrite", ref: two.ref, text });
    await stage.run("improve");
    stage.answer = () => formatProposals({ do: "merge", refs: [one.ref, two.ref], text });
    await stage.run("consolidate");
    expect(await stage.texts()).toEqual([text]);
    expect((await stage.desk("undo all")).values).toMatchObject({ left: [] });
    expect(await stage.texts()).toEqual([one.text, two.text].toSorted());
  });

  test("Z12: a merge whose result somebody has changed since is left, and so is what is said again elsewhere", async () => {
    const stage = await open();
    const one = await stage.remember("Coupons of the shop expire after 30 days.");
    const two = await stage.remember("Coupons of the shop expire after 30 days: COUPON_TTL.");
    stage.answer = () => formatProposals({ do: "merge", refs: [one.ref, two.ref], text: two.text });
    await stage.run("consolidate");
    const [result] = await stage.active();
    if (!result) throw new Error("There is no result.");
    await stage.edit(result.id, "Coupons of the shop expire after 60 days: COUPON_TTL.");
    const left = (await stage.desk("undo")).values;
    expect(left).toMatchObject({ left: [expect.stringMatching(/^m:/)] });
    expect(await stage.texts()).toEqual(["Coupons of the shop expire after 60 days: COUPON_TTL."]);
    const other = await withStale(1);
    await other.remember("Something else of the shop.", { daysOld: 1 });
    await other.run("archive");
    expect(await other.texts()).toEqual(["Something else of the shop."]);
    await other.remember("Ticket OPS-0 is half done.");
    expect((await other.desk("undo")).values).toMatchObject({
      left: [expect.stringMatching(/^m:/)],
    });
    expect(await other.texts()).toHaveLength(2);
  });

  test("Z3: cut short by a kill it is finished by the next one", async () => {
    const stage = await withStale(10);
    const before = await stage.texts();
    await stage.run("archive");
    let kills = 0;
    stage.dies = (moment) => moment === "made" && ++kills < 3;
    for (let at = 0; at < 2; at++) await stage.desk("undo 1").catch(() => undefined);
    expect(kills).toBe(2);
    await stage.desk("undo 1");
    expect(await stage.texts()).toEqual(before);
  });

  test("Z3: of a kill between a memory's change and the note of it nothing is left, in a run and in its undo", async () => {
    const stage = await withStale(2);
    const before = await stage.all();
    const changes = () =>
      stage
        .runs()
        .changes(1)
        .map(({ state, stampMs, undoStampMs }) => [state, stampMs, undoStampMs]);
    stage.dies = (moment) => moment === "made";
    await stage.desk("run archive");
    await stage.runAll();
    expect(await stage.all()).toEqual(before);
    expect(changes()).toEqual([
      ["proposed", null, null],
      ["proposed", null, null],
    ]);
    const other = await withStale(2);
    await other.run("archive");
    const [made, noted] = [await other.all(), other.runs().changes(1)];
    expect(made).not.toEqual(await other.active());
    other.dies = (moment) => moment === "made";
    await expect(other.desk("undo")).rejects.toThrow();
    expect(await other.all()).toEqual(made);
    expect(other.runs().changes(1)).toEqual(noted);
  });

  test("waits for a run that is going on, which can be stopped", async () => {
    const stage = await withStale(2);
    await stage.desk("run archive");
    await expect(stage.desk("undo")).rejects.toThrow("Run 1 is running");
    await stage.desk("stop");
    expect(stage.jobs()).toMatchObject([{ state: "given_up", error: "stopped" }]);
    await stage.runAll();
    expect(await stage.active()).toHaveLength(2);
    expect((await stage.desk("undo")).text).toBe("Nothing to undo.");
  });

  test("what is forgotten for good is forgotten by upkeep, too", async () => {
    const stage = await withStale(1);
    await stage.run("archive");
    const [memory] = await stage.all();
    if (!memory) throw new Error("gone");
    await stage.memories.forget("commit:abc" as never, memory.id);
    expect(stage.runs().changes(1)).toEqual([]);
  });
});

test("words that make no sense do nothing", async () => {
  const stage = await open();
  await expect(stage.desk("tidy")).rejects.toThrow(
    "Unknown action. Use list, run, show, apply, undo or stop.",
  );
  await expect(stage.desk("run tidy")).rejects.toThrow('There is no task "tidy"');
  await expect(stage.desk("show 7")).rejects.toThrow("This project has no run 7");
  await expect(stage.desk("stop")).rejects.toThrow("No run of this project is running.");
});

describe("a task that is not set", () => {
  test("is refused by the shell's word too, which reads the folder's settings", async () => {
    const { driver } = await open();
    const asked = {
      driver,
      directory: workspace.folder(),
      env: {},
      nowMs: 1_000,
      typed: renderInstalledCommand,
    };
    const words = new Map([["do", "run"]]);
    const run = async (config: object) =>
      maintenanceCli.run({
        ...asked,
        given: words,
        config: async () => ({ ...defaults, ...config }),
      });
    await expect(run({})).rejects.toThrow("No task is set");
    const archive = { schedule: null, model: null, tokensPerRun: 1_000, tokensPerDay: 1_000 };
    const upkeep = { tasks: { archive }, cooldownHours: 12, quietMinutes: 5 };
    expect((await run({ upkeep })).text).toBe(
      "Run 1: archive. No session is open now: it starts with the next turn in this folder.",
    );
  });

  test("begins no run, by whichever word, and the refusal says how to set it", async () => {
    const none = await open({ tasks: {} });
    await expect(none.desk("run")).rejects.toThrow(
      'No task is set, so nothing would run. Set it in your session-runtime.jsonc, for example "upkeep": { "tasks": { "verify": {} } }.',
    );
    const one = await open({ tasks: { archive: {} } });
    await expect(one.desk("run improve")).rejects.toThrow(
      'The task improve is not set, so nothing would run. Set it in your session-runtime.jsonc, for example "upkeep": { "tasks": { "improve": {} } }.',
    );
    for (const stage of [none, one]) {
      expect(stage.jobs()).toEqual([]);
      expect((await stage.desk("list")).values).toMatchObject({ runs: [] });
    }
    expect((await none.desk("list")).text).toStartWith("No task is set. ");
    expect((await one.desk("run")).text).toBe("Run 1: archive.");
  });

  test("has the run that an earlier version began for it ended: it blocks neither undo nor another run", async () => {
    const stage = await open({ tasks: { archive: {} } });
    const began = {
      project: stage.project.id,
      directory: "/shop",
      board: "/shop",
      askedBy: "shell",
    } as const;
    stage.runs().begin({ ...began, tasks: ["verify", "improve"] }, stage.nowMs);
    expect((await stage.desk("list")).text).toContain("1  verify, ended: the task is not set");
    expect(stage.jobs()).toMatchObject([{ state: "given_up", error: "stopped" }]);
    expect((await stage.desk("undo")).text).toBe("Nothing to undo.");
    stage.runs().begin({ ...began, tasks: ["verify"] }, stage.nowMs);
    expect((await stage.desk("run")).text).toBe("Run 3: archive.");
    // What is set, is done now, or is another folder's own matter stays.
    expect((await stage.desk("list")).text).toContain("3  archive, running");
    await stage.desk("stop");
    stage
      .runs()
      .begin({ ...began, tasks: ["verify"], directory: "/other", board: "/other" }, stage.nowMs);
    expect((await stage.desk("list")).text).toContain("4  verify, running");
    await stage.desk("stop");
    stage.runs().begin({ ...began, tasks: ["verify"] }, stage.nowMs);
    const nowMs = stage.nowMs + 10;
    const lease = { owner: "one", nowMs, expiresAtMs: nowMs + 60_000 };
    createJobStore(stage.driver).take(stage.jobs().at(-1)?.id ?? 0, lease, () => false);
    expect((await stage.desk("list")).text).toContain("5  verify, running");
  });
});
