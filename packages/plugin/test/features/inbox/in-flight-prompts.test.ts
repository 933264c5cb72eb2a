import { describe, expect, test } from "bun:test";
import { InFlightPrompts } from "../../../src/features/inbox/in-flight-prompts.ts";
import { otherSession, session } from "../../storage/records.ts";

function stage() {
  const clock = { nowMs: 1_000_000 };
  return { clock, traffic: new InFlightPrompts(() => clock.nowMs) };
}

test("prompts that are long over are forgotten once a thousand are known; those still on their way stay", () => {
  const { clock, traffic } = stage();
  traffic.recordArrival(session, "msg_quiet");
  traffic.recordSave(session, "msg_quiet");
  traffic.recordSend(session, "msg_sent", "whole");
  for (let index = 0; index < 998; index += 1) traffic.recordArrival(session, `msg_${index}`);
  traffic.recordFailure("msg_0");
  expect(traffic.size).toBe(1_000);
  clock.nowMs += 10_000;
  traffic.recordArrival(session, "msg_late");
  expect(traffic.size).toBe(1_000);
  clock.nowMs += 1;
  traffic.recordArrival(session, "msg_last");
  expect(traffic.size).toBe(4);
  traffic.recordArrival(session, "msg_over");
  expect(traffic.size).toBe(5);
  expect(traffic.isQuiet("msg_quiet")).toBe(true);
  expect(traffic.claimSend("msg_sent")).toBe("whole");
  for (const id of ["msg_late", "msg_last", "msg_over"]) {
    expect(traffic.mayStillArrive(id, "unsaved")).toBe(true);
  }
});

describe("a prompt that we send", () => {
  test("is asked how once, and is on its way for ten seconds", () => {
    const { clock, traffic } = stage();
    expect(traffic.mayStillArrive("msg_a", "unsaved")).toBe(false);
    traffic.recordSend(session, "msg_a", "first");
    clock.nowMs += 9_999;
    expect(traffic.mayStillArrive("msg_a", "unsaved")).toBe(true);
    expect([traffic.claimSend("msg_a"), traffic.claimSend("msg_a")]).toEqual(["first", null]);
    expect(traffic.mayStillArrive("msg_a", "unsaved")).toBe(true);
    clock.nowMs += 1;
    expect(traffic.mayStillArrive("msg_a", "unsaved")).toBe(false);
  });

  test("and that comes in is not asked for any more; one that fails is on nobody's way", () => {
    const { traffic } = stage();
    traffic.recordSend(session, "msg_a", "first");
    traffic.recordArrival(session, "msg_a");
    expect(traffic.claimSend("msg_a")).toBeNull();
    traffic.recordFailure("msg_a");
    traffic.recordFailure("msg_unknown");
    expect(traffic.mayStillArrive("msg_a", "unsaved")).toBe(false);
    expect(traffic.mayStillArrive("msg_unknown", "unsaved")).toBe(false);
  });

  test("begins nothing until it comes in; what comes, is saved and begins to run does", () => {
    const { traffic } = stage();
    traffic.recordSend(session, "msg_a", "first");
    expect(traffic.beginnings).toBe(0);
    traffic.recordArrival(session, "msg_a");
    expect(traffic.beginnings).toBe(1);
    traffic.recordSave(session, "msg_a");
    expect(traffic.beginnings).toBe(2);
    traffic.recordRun(session);
    traffic.recordRun(session);
    expect(traffic.recordSave(session, "msg_b")).toBe("no matter");
    expect(traffic.beginnings).toBe(4);
    expect(traffic.isQuiet("msg_b")).toBe(false);
  });
});

test("a session is taken while it runs and for two seconds after a prompt has come; another one is not", () => {
  const { clock, traffic } = stage();
  expect([traffic.isTaken(session), traffic.isBusy(session)]).toEqual([false, false]);
  traffic.recordArrival(session, "msg_a");
  clock.nowMs += 1_999;
  expect([traffic.isTaken(session), traffic.isTaken(otherSession)]).toEqual([true, false]);
  expect(traffic.isBusy(session)).toBe(false);
  clock.nowMs += 1;
  expect(traffic.isTaken(session)).toBe(false);
  traffic.recordRun(session);
  expect([traffic.isTaken(session), traffic.isBusy(session)]).toEqual([true, true]);
  traffic.recordArrival(session, "msg_b");
  expect(traffic.isBusy(session)).toBe(true);
  traffic.recordIdle(session);
  expect([traffic.isTaken(session), traffic.isBusy(session)]).toEqual([false, false]);
});
