import { describe, expect, test } from "bun:test";
import { runQueueCommand } from "../../../src/features/inbox/queue.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { openStage, type Stage, type StageSettings } from "./stage.ts";

const workspace = new Workspace();

/** A host that was killed while a turn was going on, with a steer and a queued prompt behind it. */
async function killed(): Promise<Stage> {
  const stage = openStage(workspace);
  stage.host.answers = ["hang"];
  await stage.host.prompt({ id: "msg_a", text: "First" });
  await stage.clock.pass(100);
  await stage.host.prompt({ id: "msg_b", text: "A steer" });
  await runQueueCommand(stage.inbox, {
    sessionId: session,
    args: "Queued",
    files: [],
    process: "stays",
  });
  stage.host.kill();
  stage.clock.stop();
  return stage;
}

/** The next process on the same data. */
function next(stage: Stage, deps: StageSettings["deps"]): Stage {
  const { path, host, clock } = stage;
  clock.nowMs += 1_000;
  const gone = { isProcessDead: () => true };
  return openStage(workspace, { path, host, clock, deps: { ...gone, ...deps } });
}

function cutOff(stage: Stage, ...tools: readonly string[]): void {
  const turn = stage.host.rows.findLast(({ info }) => info.role === "assistant");
  turn?.parts.push(
    ...tools.map((tool) => ({
      id: `prt_${tool}`,
      type: "tool",
      tool,
      state: { status: "running" },
    })),
  );
}

describe("recovery at the start", () => {
  test("G6: ask tells what there is, in numbers, and starts nothing; /ctx-resume goes on", async () => {
    const former = await killed();
    cutOff(former, "bash");
    const stage = next(former, { recovery: "ask" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.told).toEqual([
      "Interrupted: 2 prompts without an answer, 1 prompt waiting in the queue. Cut off in the middle: bash; the model sees this, and their effects remain. /ctx-resume continues, /ctx-queue lists what waits.",
    ]);
    expect(stage.host.calls).toHaveLength(1);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.calls.slice(1)).toEqual([
      ["First", "A steer"],
      ["First", "A steer", "Queued"],
    ]);
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
  });

  test("ask starts nothing, also where auto would", async () => {
    const former = await killed();
    cutOff(former, "read");
    const stage = next(former, { recovery: "ask" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.told).toEqual([expect.stringContaining("/ctx-resume continues")]);
    expect(stage.host.calls).toHaveLength(1);
  });

  test("auto goes on by itself, also where a tool was cut off that only looks", async () => {
    const former = await killed();
    cutOff(former, "read", "grep");
    const stage = next(former, { recovery: "auto" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "A steer", "Queued"]);
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
  });

  test("auto asks where a tool was cut off that may have changed something", async () => {
    const former = await killed();
    cutOff(former, "read", "team_deploy");
    const stage = next(former, { recovery: "auto" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.calls).toHaveLength(1);
    expect(stage.told[0]).toContain("Cut off in the middle: read, team_deploy");
  });

  test("off looks for nothing; /ctx-resume still works", async () => {
    const stage = next(await killed(), { recovery: "off" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.told).toEqual([]);
    expect(stage.host.calls).toHaveLength(1);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "A steer", "Queued"]);
  });

  test("what is left stays known for whoever opens the session, until work continues", async () => {
    const stage = next(await killed(), { recovery: "ask" });
    await stage.inbox.recover();
    expect(stage.inbox.findHoldNotice(session)).toBe(stage.told[0] ?? "");
    expect(stage.inbox.findHoldNotice(session)).toContain("/ctx-resume continues");
    await stage.inbox.resume(session);
    expect(stage.inbox.findHoldNotice(session)).toBeNull();
    await stage.rest();
    expect(stage.inbox.findHoldNotice(session)).toBeNull();
  });

  test("it is over when another process has answered", async () => {
    const former = await killed();
    const stage = next(former, { recovery: "ask" });
    await stage.inbox.recover();
    const other = next(former, { recovery: "auto" });
    await other.inbox.recover();
    await other.rest();
    await stage.inbox.check(session);
    expect(stage.inbox.findHoldNotice(session)).toBeNull();
  });

  test("whoever opens the session in a process that runs since before the crash hears of it, once", async () => {
    const earlier = openStage(workspace, { deps: { isProcessDead: () => true, recovery: "auto" } });
    const { path, host, clock } = earlier;
    const crashed = openStage(workspace, { path, host, clock });
    host.answers = ["hang"];
    clock.nowMs += 1_000;
    await host.prompt({ id: "msg_a", text: "First" });
    await clock.pass(100);
    host.kill();
    clock.stop();
    crashed.close();
    host.process = "up";
    host.inbox = earlier.inbox;
    await earlier.inbox.recover();
    expect(earlier.told).toEqual([]);
    await earlier.inbox.onOpened(session);
    await earlier.inbox.onOpened(session);
    expect(earlier.told).toEqual([expect.stringContaining("1 prompt without an answer")]);
    expect(host.calls).toHaveLength(1);
  });

  test("what this process has stopped itself is not reported to whoever opens the session", async () => {
    const stage = openStage(workspace);
    stage.host.answers = ["fail"];
    await stage.host.prompt({ text: "The first one" });
    await stage.rest();
    await stage.inbox.onOpened(session);
    expect(stage.told.filter((text) => text.startsWith("Interrupted"))).toEqual([]);
    const off = next(stage, { recovery: "off" });
    await off.inbox.onOpened(session);
    expect(off.told).toEqual([]);
  });

  test("what this process is just taking in is no interruption", async () => {
    const stage = openStage(workspace, { deps: { recovery: "auto" } });
    stage.host.answers = ["hang"];
    await stage.host.prompt({ text: "The first one" });
    await stage.inbox.recover();
    await stage.clock.pass(1_000);
    expect(stage.told).toEqual([]);
    expect(stage.host.calls).toHaveLength(1);
  });

  test("nor is a turn that was stopped in this process: that was reported when it stopped", async () => {
    const stage = openStage(workspace);
    await stage.clock.pass(1);
    stage.host.answers = ["fail"];
    await stage.host.prompt({ text: "The first one" });
    await stage.rest();
    const { told } = stage;
    await stage.inbox.recover();
    expect(told.filter((text) => text.startsWith("Interrupted"))).toEqual([]);
  });

  test("nothing open, nothing told", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello" });
    await stage.rest();
    const again = next(stage, { recovery: "auto" });
    await again.inbox.recover();
    expect(again.told).toEqual([]);
  });

  test("I12: another directory's sessions are left alone", async () => {
    const stage = next(await killed(), { recovery: "auto", directory: "/elsewhere" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.calls).toHaveLength(1);
    expect(stage.told).toEqual([]);
  });

  test("a session that another live process drives is left alone, until its lease has expired", async () => {
    const former = await killed();
    const stage = next(former, { recovery: "auto", isProcessDead: () => false });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.calls).toHaveLength(1);
    await stage.clock.pass(120_000);
    const later = next(former, { recovery: "auto", isProcessDead: () => false });
    await later.inbox.recover();
    await later.rest();
    expect(new Set(later.states())).toEqual(new Set(["answered"]));
  });

  test("G6: a queued prompt whose sending was cut off is sent under the id that was stored", async () => {
    const stage = openStage(workspace);
    const hand = stage.host.send.bind(stage.host);
    let messageId = "";
    stage.host.send = async (dispatch) => {
      messageId = dispatch.messageId;
      stage.host.kill();
      await hand(dispatch);
    };
    await runQueueCommand(stage.inbox, {
      sessionId: session,
      args: "Queued",
      files: [],
      process: "stays",
    });
    await stage.clock.pass(10);
    expect(stage.states()).toEqual(["handed"]);
    stage.host.send = hand;
    stage.clock.stop();
    const again = next(stage, { recovery: "auto" });
    await again.inbox.recover();
    await again.rest();
    expect(again.host.rows.map(({ info }) => info.id)).toContain(messageId);
    expect(again.host.texts()).toEqual(["Queued"]);
  });

  test("a prompt of which the host saved the row and not the parts is completed", async () => {
    const former = await killed();
    const row = former.host.rows.find(({ info }) => info.id === "msg_b");
    row?.parts.splice(0);
    const stage = next(former, { recovery: "auto" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "A steer", "Queued"]);
    expect(row?.parts).toHaveLength(1);
  });

  /** A prompt of two parts, of which so many were saved when the host was killed. */
  async function torn(savedParts: number): Promise<Stage> {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Before" });
    await stage.rest();
    stage.host.tearAfterParts = savedParts;
    const parts = ["Look", "here"].map((text) => ({ type: "text", text }));
    await expect(stage.host.prompt({ id: "msg_torn", parts })).rejects.toThrow("killed");
    stage.clock.stop();
    return stage;
  }

  for (const savedParts of [0, 1]) {
    test(`I16: one with ${savedParts} of its 2 parts is not promoted by its presence, and is not answered by the answer to the next prompt`, async () => {
      const stage = next(await torn(savedParts), { recovery: "ask" });
      await stage.host.prompt({ id: "msg_next", text: "Next" });
      await stage.rest();
      expect(stage.states()).toEqual(["answered", "handed", "answered"]);
      expect(stage.told).toEqual([
        "1 prompt never reached the conversation. /ctx-resume continues, /ctx-queue lists what waits.",
      ]);
      await stage.inbox.resume(session);
      await stage.rest();
      expect(stage.host.texts().filter((text) => text === "Look|here")).toHaveLength(1);
      expect(stage.host.texts().at(-1)).toBe("Look|here");
      expect(stage.host.calls.at(-1)?.at(-1)).toBe("Look|here");
      expect(stage.states()).toEqual(["answered", "swallowed", "answered", "answered"]);
    });

    test(`I16: one with ${savedParts} of its 2 parts is completed in its place by auto and by /ctx-resume`, async () => {
      for (const recovery of ["auto", "ask"] as const) {
        const stage = next(await torn(savedParts), { recovery });
        await stage.inbox.recover();
        if (recovery === "ask") await stage.inbox.resume(session);
        await stage.rest();
        expect(stage.host.texts()).toEqual(["Before", "Look|here"]);
        expect(stage.host.rows.map(({ info }) => info.id)).toContain("msg_torn");
        expect(stage.host.calls.at(-1)).toEqual(["Before", "Look|here"]);
        expect(stage.states()).toEqual(["answered", "answered"]);
      }
    });
  }

  test("I16: a boundary while the parts are still being saved promotes nothing", async () => {
    const stage = next(await torn(1), { recovery: "off" });
    const row = stage.host.rows.find(({ info }) => info.id === "msg_torn");
    if (!row) throw new Error("no row");
    const reminder = { id: "prt_reminder", type: "text", text: "In memory" };
    stage.inbox.onBoundary(session, [{ ...row, parts: [...row.parts, reminder] }], 40);
    await stage.clock.pass(100);
    expect(stage.states()).toEqual(["answered", "handed"]);
  });

  test("I16: what an earlier process took in is promoted by the next process's first boundary", async () => {
    const former = openStage(workspace);
    former.host.answers = ["hang"];
    await former.host.prompt({ id: "msg_a", text: "First" });
    former.host.kill();
    former.clock.stop();
    const stage = next(former, { recovery: "off" });
    expect(stage.states()).toEqual(["handed"]);
    stage.inbox.onBoundary(session, [...stage.host.rows], 40);
    await stage.clock.pass(40);
    expect(stage.states()).toEqual(["promoted"]);
  });

  test("one from which another plugin has taken a part out is whole without it", async () => {
    const stage = openStage(workspace);
    stage.host.otherPlugin = (parts) => void parts.pop();
    const parts = ["Look", "here"].map((text) => ({ type: "text", text }));
    await stage.host.prompt({ parts });
    await stage.rest();
    expect(stage.host.texts()).toEqual(["Look"]);
    expect(stage.states()).toEqual(["answered"]);
    expect(stage.told).toEqual([]);
  });

  test("several that were never saved go in one batch, and one call has all of them", async () => {
    const former = openStage(workspace);
    const { host } = former;
    const arrive = former.inbox.onArrival.bind(former.inbox);
    former.inbox.onArrival = async (prompt) => {
      await arrive(prompt);
      host.kill();
    };
    for (const name of ["a", "b", "c"]) {
      host.process = "up";
      await expect(host.prompt({ id: `msg_${name}`, text: name })).rejects.toThrow("killed");
    }
    former.clock.stop();
    const stage = next(former, { recovery: "auto" });
    await stage.inbox.recover();
    await stage.rest();
    expect(stage.host.calls).toEqual([["a", "b", "c"]]);
    expect(stage.states()).toEqual(["answered", "answered", "answered"]);
  });
});
