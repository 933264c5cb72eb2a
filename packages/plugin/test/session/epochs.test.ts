import { describe, expect, test } from "bun:test";
import { added, Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;

describe("a compaction", () => {
  test("J6, I11: a completed one begins a new Baseline without the earlier updates, which stay on disk", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.opened?.cause).toBe("compacted");
    expect(after.inserted).toEqual([]);
    expect(after.system[1]).toContain("Today's date: Sun Nov 22 2026");
    expect(after.system[0]).toBe(first.system[0]);
    expect(host.stored.texts("ses_0_1")).toHaveLength(1);
    expect(added(after, sent(await host.prompt(0)))).toHaveLength(2);
  });

  test("opens an epoch that is counted as reports count it, though other entries stand between", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    sent(await host.compact(0, { goesOn: true }));
    const { runtime } = host.instance(0);
    const call = runtime.findSentCall(host.session(0).id);
    expect(call?.epoch.seq).toBeGreaterThan(2);
    expect(call?.epochNumber).toBe(2);
  });

  test("J18: one that fails goes on with the stored epoch", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    const second = sent(await host.prompt(0));
    await host.compact(0, { outcome: "fails" });
    const third = sent(await host.prompt(0));
    expect(third.opened).toBeNull();
    expect(third.system).toEqual(first.system);
    expect(added(second, third)).toEqual([
      "assistant: answer 4 of ses_0_1",
      "user: (compaction)",
      "user: prompt 5 of ses_0_1",
    ]);
  });

  test("J18: one that fails with a tail keeps the Baseline and tells anew what stood in the lost head", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    await host.prompt(0);
    await host.compact(0, { outcome: "fails", tail: 2 });
    const after = sent(await host.prompt(0));
    expect(after.head).toEqual({ kind: "broken" });
    expect(after.system).toEqual(first.system);
    expect(after.updates).toHaveLength(1);
    expect(texts(after).at(-1)).toContain("Today's date is now: Sun Nov 22 2026");
  });

  test("J18: one that fails in a later epoch keeps that epoch, though its start is lost with the head", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const second = sent(await host.compact(0, { goesOn: true }));
    await host.prompt(0);
    await host.compact(0, { outcome: "fails", tail: 1 });
    host.restart();
    expect(sent(await host.prompt(0)).system).toEqual(second.system);
  });

  test("J18: one that fails goes on in its epoch also where a crash took the row of that epoch's only call", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    const kill = { fault: { kind: "kill" } } as const;
    const second = sent(await host.compact(0, { goesOn: true, call: kill }));
    await host.compact(0, { outcome: "fails", tail: 1 });
    expect(sent(await host.prompt(0)).system).toEqual(second.system);
  });

  test("J18: one that dies half-way leaves the stored epoch", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    await host.compact(0, { outcome: "dies" });
    const after = sent(await host.prompt(0));
    expect(after.opened).toBeNull();
    expect(after.system).toEqual(first.system);
  });

  test("J18: one that is repeated after a failure begins one new epoch", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.compact(0, { outcome: "fails", tail: 1 });
    await host.prompt(0);
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.opened?.cause).toBe("compacted");
    expect(host.stored.count("epoch", "ses_0_1")).toBe(2);
  });

  test("I14: its own pass is untouched while news is waiting, and takes nothing from the next turn", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.compact(0, { outcome: "fails" });
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("I14: a title call before its pass does not take the mark away", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.compact(0, { outcome: "fails", title: true });
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
  });

  test("a mark whose pass never came ends with the session's work", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    const { runtime } = host.instance(0);
    const { id } = host.session(0);
    runtime.beginCompaction(id);
    runtime.setStatus(id, "idle");
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("J19: undoing it brings the former epoch back byte for byte", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    const before = sent(await host.prompt(0));
    await host.compact(0);
    await host.prompt(0);
    host.undo(0, 2);
    const back = sent(await host.prompt(0));
    expect(back.opened).toBeNull();
    expect(added(before, back)).toHaveLength(2);
  });

  test("J19: and repeating it begins a third one", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.compact(0, { goesOn: true });
    host.undo(0, 2);
    await host.prompt(0);
    await host.compact(0, { goesOn: true });
    expect(host.stored.epochs("ses_0_1").map(({ cause }) => cause)).toEqual([
      "first",
      "compacted",
      "compacted",
    ]);
  });
});

describe("an undo", () => {
  test("J7, I10: withdraws an update, which is told anew", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.world.nowMs += DAY_MS;
    const undone = sent(await host.prompt(0));
    host.undo(0, 1);
    const after = sent(await host.prompt(0));
    expect(after.updates).toEqual(undone.updates);
    expect(added(first, after)).toHaveLength(3);
  });

  test("I10: of an update whose cause is gone as well nothing is told", async () => {
    const { host } = scenes.open();
    const first = sent(await host.prompt(0));
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    host.undo(0, 1);
    host.change({ of: "file", place: "app", state: 1 });
    expect(sent(await host.prompt(0)).inserted).toEqual([]);
    expect(first.updates).toEqual([]);
  });

  test("I10, I6: an undo on record tells nothing where a lost head takes its news along", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0, { model: "gpt" });
    await host.prompt(0);
    host.undo(0, 1);
    await host.prompt(0, { model: "gpt" });
    await host.compact(0, { tail: 2, outcome: "fails" });
    const call = sent(await host.prompt(0, { model: "gpt" }));
    expect(call.head.kind).toBe("broken");
    expect(call.updates).toHaveLength(1);
  });

  test("I18: entries without their anchors are dormant and stay on disk", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { agent: "plan" });
    host.world.nowMs += DAY_MS;
    await host.prompt(0, { agent: "plan" });
    host.undo(0, 2);
    const after = sent(await host.prompt(0));
    expect(after.inserted).toHaveLength(1);
    expect(host.stored.texts("ses_0_1").length).toBeGreaterThan(2);
    expect(host.process.failures).toEqual([]);
  });
});

describe("another Location, agent or model", () => {
  test("J15: a move begins an epoch, and so does the way back", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.move(0);
    const moved = sent(await host.prompt(0));
    expect(moved.opened?.cause).toBe("moved");
    expect(moved.system[1]).toContain("Rule 1 of other.");
    expect(moved.system[1]).not.toContain("Rule 1 of app.");
    host.move(0);
    expect(sent(await host.prompt(0)).opened?.cause).toBe("moved");
    expect(sent(await host.prompt(0)).opened).toBeNull();
  });

  test("I12: a move right after a compaction carries nothing over from the former Location", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.compact(0);
    host.change({ of: "file", place: "other", state: "unreadable" });
    host.move(0);
    const moved = sent(await host.prompt(0));
    expect(moved.opened?.cause).toBe("moved");
    expect(texts(moved).join("\n")).not.toContain("/project/");
  });

  test("J8: a switch of agent keeps the Baseline; the way back finds the same system text", async () => {
    const { host } = scenes.open();
    const build = sent(await host.prompt(0));
    const plan = sent(await host.prompt(0, { agent: "plan" }));
    expect(plan.opened).toBeNull();
    expect(plan.system).toEqual(["You are the plan agent.", build.system[1] ?? ""]);
    expect(sent(await host.prompt(0)).system).toEqual(build.system);
  });

  test("J9: a switch of model keeps the Baseline and tells the model who it is", async () => {
    const { host } = scenes.open();
    const opus = sent(await host.prompt(0));
    const gpt = sent(await host.prompt(0, { model: "gpt" }));
    expect(gpt.opened).toBeNull();
    expect(gpt.system).toEqual([opus.system.join("\n")]);
    expect(gpt.updates[0]).toContain("You are now powered by the model named gpt-6.");
    const back = sent(await host.prompt(0));
    expect(back.system).toEqual(opus.system);
    expect(back.updates).toHaveLength(2);
  });

  test("J9: a switch of model begins an epoch where that is asked for", async () => {
    const { host } = scenes.open({ onModelSwitch: "fold" });
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    const gpt = sent(await host.prompt(0, { model: "gpt" }));
    expect(gpt.opened?.cause).toBe("model");
    expect(gpt.inserted).toEqual([]);
    expect(gpt.system[0]).toContain("powered by the model named gpt-6.");
  });

  test("J16: a fork begins its own epoch from the live facts and is steady", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.world.nowMs += DAY_MS;
    await host.prompt(0);
    host.fork(0);
    const fork = sent(await host.prompt(0));
    expect(fork.opened?.cause).toBe("first");
    expect(fork.inserted).toEqual([]);
    expect(fork.system[1]).toContain("Today's date: Sun Nov 22 2026");
    expect(added(fork, sent(await host.prompt(0)))).toHaveLength(2);
  });

  test("I12: a deleted session leaves no row, also of a call that is just being written down", async () => {
    const { host } = scenes.open();
    await host.prompt(1);
    await host.prompt(0, { call: { outcome: "bash" } });
    host.world.nowMs += DAY_MS;
    await host.goOn(0);
    const { runtime } = host.instance(0);
    const array = host.session(0).rows.visible();
    await runtime.projectHistory(array);
    const shape = { location: "app", agent: "build", model: "opus", own: null } as const;
    host.compose(0, [host.world.systemString(shape)]);
    host.delete(0);
    runtime.turns.flush();
    expect(host.process.failures).toEqual([]);
    for (const table of ["session", "epoch", "entry", "turn"] as const) {
      expect(host.stored.count(table, "ses_0_1")).toBe(0);
    }
    expect(host.stored.count("epoch", "ses_1_1")).toBe(1);
  });
});
