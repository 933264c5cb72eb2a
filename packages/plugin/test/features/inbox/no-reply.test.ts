import { describe, expect, test } from "bun:test";
import { recordWithoutReply } from "../../../src/features/inbox/send.ts";
import { otherSession, session } from "../../storage/records.ts";
import { quiet } from "./fake-clock.ts";
import { found, input, kinds, open, Process } from "./process.ts";

const recorded = { kind: "settle", id: "msg_a", state: "recorded" } as const;
const CHECKED = ["check idle", "settle"];

/** A prompt that has come and is saved in an idle session: what is waited for. */
function saved(process: Process, messageId = "msg_a"): void {
  process.instance.traffic.recordArrival(session, messageId);
  process.instance.traffic.recordSave(session, messageId);
  process.rows.set(messageId, input(messageId));
  void recordWithoutReply(process.instance, session, messageId);
  process.did();
}

/** After a second, and a timer that comes so much later. */
async function aSecond({ clock, does }: Bound, lateMs = 0): Promise<readonly string[]> {
  clock.nowMs += 1_000 + lateMs;
  return kinds(await does(() => clock.pass(0)));
}

interface Bound {
  readonly clock: Process["clock"];
  readonly does: Process["does"];
}

const bound = (process: Process): Bound => ({
  clock: process.clock,
  does: process.does.bind(process),
});

describe("a saved prompt", () => {
  test("that was never admitted here, or is promoted, is not followed", async () => {
    const process = new Process();
    const { inbox } = process;
    const isSaved = { kind: "saved", sessionId: session, messageId: "msg_a" } as const;
    const hears = () => process.does(() => inbox.onEvent(isSaved));
    expect(await hears()).toEqual([]);
    inbox.onBoundary(session, [], 40);
    expect(await hears()).toEqual([]);
    process.working = [input("msg_a")];
    const followed = new Process();
    followed.working = [input("msg_a")];
    followed.inbox.onBoundary(session, [], 40);
    expect(await followed.does(() => followed.inbox.onEvent(isSaved))).toEqual([
      { kind: "later", delayMs: 1_000 },
    ]);
  });

  test("G7: asked for no reply where its session stays idle for a second in a quiet process", async () => {
    const process = new Process();
    saved(process);
    process.clock.nowMs += 999;
    expect(await process.passes(0)).toEqual([]);
    expect(await process.passes(1)).toEqual([{ kind: "check idle" }, recorded]);
    expect(process.instance.traffic.isQuiet("msg_a")).toBe(false);
    expect(await process.passes(60_000)).toEqual([]);
  });

  test("G7: is recorded where it is still open, and else left as it is", async () => {
    for (const state of ["handed", "saved", "refused", "promoted", "answered", null] as const) {
      const process = new Process();
      saved(process);
      if (state) process.rows.set("msg_a", input("msg_a", { state }));
      else process.rows.delete("msg_a");
      const isOpen = state === "handed" || state === "saved";
      expect(await aSecond(bound(process))).toEqual(isOpen ? CHECKED : ["check idle"]);
    }
  });

  test("G7: in a turn that runs asks for a reply", async () => {
    const process = new Process();
    process.working = [input("msg_a")];
    process.inbox.onBoundary(session, [], 40);
    process.inbox.onEvent({ kind: "busy", sessionId: session });
    const isSaved = { kind: "saved", sessionId: session, messageId: "msg_a" } as const;
    expect(await process.does(() => process.inbox.onEvent(isSaved))).toEqual([]);
    const running = new Process();
    saved(running);
    running.activity = "busy";
    expect(await aSecond(bound(running))).toEqual(["check idle"]);
  });

  test("G7: is waited for while its session is not known to have run, and not when it has", async () => {
    const process = new Process();
    const { traffic } = process.instance;
    process.instance.traffic.recordArrival(session, "msg_0");
    traffic.recordSave(session, "msg_0");
    process.clock.nowMs += 500_000;
    const facts = found({ working: [{ input: input("msg_0"), standing: "unanswered" }] });
    expect(kinds(await process.looks(facts))).toEqual(["save", "later"]);
    traffic.recordRun(otherSession);
    traffic.recordIdle(otherSession);
    expect(kinds(await process.looks(facts))).toEqual(["save", "later"]);
    traffic.recordRun(session);
    traffic.recordIdle(session);
    expect(kinds(await process.looks(facts))).toEqual(["save", "show"]);
  });

  test("G7: that has run meanwhile is not recorded", async () => {
    const process = new Process();
    saved(process);
    process.instance.traffic.recordRun(session);
    process.instance.traffic.recordIdle(session);
    expect(await aSecond(bound(process))).toEqual([]);
    expect(await process.passes(60_000)).toEqual([]);
  });

  test("G7: is not affected by another session's turn", async () => {
    const process = new Process();
    saved(process, "msg_0");
    process.instance.traffic.recordIdle(otherSession);
    process.instance.traffic.recordRun(otherSession);
    expect(await aSecond(bound(process))).toEqual(["later"]);
    expect(await aSecond(bound(process))).toEqual(CHECKED);
    process.clock.nowMs += 500_000;
    expect(kinds(await process.looks(found({ working: open("torn") })))).toEqual(["show"]);
  });

  test("G7: that seems to want no reply may still run until two seconds have passed", async () => {
    const process = new Process();
    saved(process, "msg_0");
    expect(await aSecond(bound(process))).toEqual(CHECKED);
    const facts = found({ working: [{ input: input("msg_0"), standing: "unanswered" }] });
    process.clock.nowMs += 999;
    expect(kinds(await process.looks(facts))).toEqual(["save", "later"]);
    process.clock.nowMs += 1;
    expect(kinds(await process.looks(facts))).toEqual(["save", "show"]);
  });

  test("G7: whose parts are missing is not waited for because its session is quiet", async () => {
    const process = new Process();
    process.instance.traffic.recordArrival(session, "msg_0");
    process.instance.traffic.recordSave(session, "msg_0");
    process.clock.nowMs += 500_000;
    expect(kinds(await process.looks(found({ working: open("torn") })))).toEqual(["show"]);
  });

  test("G7: the wait begins again when a prompt comes, is saved or begins to run, or the timer is late", async () => {
    const stirred = async (
      lateMs: number,
      between: (process: Process) => void = () => undefined,
    ) => {
      const process = new Process();
      process.instance.traffic.recordArrival(session, "msg_b");
      saved(process);
      between(process);
      process.did();
      return (await aSecond(bound(process), lateMs))[0] === "later";
    };
    const comes = ({ instance }: Process) => instance.traffic.recordArrival(session, "msg_c");
    const saves = ({ instance }: Process) => instance.traffic.recordSave(session, "msg_b");
    const runs = ({ instance }: Process) => instance.traffic.recordRun(otherSession);
    expect(await stirred(0)).toBe(false);
    expect(await stirred(250)).toBe(false);
    expect(await stirred(251)).toBe(true);
    expect(await stirred(0, comes)).toBe(true);
    expect(await stirred(0, saves)).toBe(true);
    expect(await stirred(0, runs)).toBe(true);
    const both = (process: Process) => {
      comes(process);
      saves(process);
      runs(process);
    };
    expect(await stirred(0, both)).toBe(true);
    expect(await stirred(0, ({ instance }) => instance.traffic.recordIdle(otherSession))).toBe(
      false,
    );
  });

  test("G7: a session that runs on begins nothing, and thirty waits are enough", async () => {
    const process = new Process();
    const { traffic } = process.instance;
    traffic.recordRun(otherSession);
    saved(process);
    const stirs = () => {
      traffic.recordIdle(otherSession);
      traffic.recordRun(otherSession);
    };
    for (let count = 1; count < 30; count += 1) {
      stirs();
      expect(await aSecond(bound(process))).toEqual(["later"]);
    }
    stirs();
    expect(await aSecond(bound(process))).toEqual(CHECKED);
    const calm = new Process();
    calm.instance.traffic.recordRun(otherSession);
    saved(calm);
    calm.instance.traffic.recordRun(otherSession);
    expect(await aSecond(bound(calm))).toEqual(CHECKED);
  });

  test("is not recorded once the inbox is closed", async () => {
    const process = new Process();
    saved(process);
    process.instance.lifetime.close();
    expect(await aSecond(bound(process))).toEqual([]);
    await quiet();
    expect(process.failures).toEqual([]);
  });
});
