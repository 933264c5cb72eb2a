import { describe, expect, test } from "bun:test";
import type { InputAdmission, InputRecord } from "../../../src/features/inbox/records.ts";
import { session } from "../../storage/records.ts";
import { quiet } from "./fake-clock.ts";
import { input, kinds, Process, type ProcessLog, queued } from "./process.ts";

const lookAgain = { kind: "later", delayMs: 11_000 } as const;

const own = {
  sessionId: session,
  id: "msg_a",
  parts: [{ type: "text", text: "Hello" }],
  delivery: "steer",
  reply: "wanted",
} as const;

/** What comes of a prompt by code, after its row. */
async function admits(
  process: Process,
  kind: InputAdmission["kind"],
  row: InputRecord,
): Promise<readonly ProcessLog[]> {
  process.admission = kind;
  process.rows.set("msg_a", row);
  const [admitted, ...did] = await process.does(() => process.inbox.admit(own).catch(() => null));
  expect(admitted).toEqual({ kind: "admit", id: "msg_a" });
  return did;
}

describe("a prompt by code", () => {
  test("of the queue wakes the session; a conflict does nothing", async () => {
    const traced: string[] = [];
    const process = new Process();
    process.deps.traced = async (sessionId) => void traced.push(sessionId);
    expect(await admits(process, "admitted", queued("q"))).toEqual([]);
    expect(await admits(process, "retry", queued("q"))).toEqual([]);
    expect(traced).toEqual([session, session]);
    expect(await admits(process, "conflict", queued("q"))).toEqual([]);
    expect(await admits(process, "conflict", input("msg_a"))).toEqual([]);
    expect(traced).toEqual([session, session]);
  });

  test("is sent, and recorded where it wants no reply", async () => {
    const sent = { kind: "send", messageId: "msg_a" };
    expect(await admits(new Process(), "admitted", input("msg_a"))).toMatchObject([
      { ...sent, reply: "wanted" },
      lookAgain,
    ]);
    const silent = new Process();
    silent.stored = { reply: "none" };
    expect(await admits(silent, "admitted", input("msg_a"))).toMatchObject([
      { ...sent, reply: "none" },
      lookAgain,
      { kind: "settle", id: "msg_a", state: "recorded" },
    ]);
  });

  test("again is sent only where nothing comes of it by itself", async () => {
    type StateBefore = (process: Process) => Promise<unknown> | undefined;
    const sends = async (state: InputRecord["state"], before: StateBefore = () => undefined) => {
      const process = new Process();
      await before(process);
      const did = await admits(process, "retry", input("msg_a", { state }));
      return kinds(did).includes("send");
    };
    const sending: StateBefore = (process) => admits(process, "admitted", input("msg_a"));
    const lost: StateBefore = async (process) => {
      process.isBroken = true;
      expect(await admits(process, "admitted", input("msg_a"))).toEqual([]);
      process.isBroken = false;
    };
    const runs: StateBefore = async ({ inbox }) =>
      inbox.onEvent({ kind: "busy", sessionId: session });
    const anew = new Process();
    await sending(anew);
    expect(kinds(await admits(anew, "admitted", input("msg_a")))).toEqual(["send", "later"]);
    const unsent = input("msg_a", { messageId: null });
    expect(await admits(new Process(), "retry", unsent)).toEqual([]);
    for (const state of ["handed", "refused"] as const) {
      const outcomes = [await sends(state), await sends(state, sending), await sends(state, lost)];
      expect(outcomes).toEqual([true, false, true]);
    }
    for (const state of ["saved", "promoted"] as const) {
      expect([await sends(state), await sends(state, runs)]).toEqual([true, false]);
    }
    for (const state of ["recorded", "answered", "dropped", "undone", "swallowed"] as const) {
      expect(await sends(state)).toBe(false);
    }
  });
});

describe("promotion", () => {
  const row = (id: string) => ({ info: { id }, parts: [{ id: `${id}_0`, type: "text" }] });
  const PROMOTED_MS = 40;

  /** Prompts that no boundary has held, each of one part. */
  function awaiting(...ids: readonly string[]): Process {
    const process = new Process();
    process.deps.traced = async () => undefined;
    process.working = ids.map((id) => input(id));
    for (const id of ids) process.rows.set(id, input(id));
    process.stored = { form: "resolved", parts: [{ id: "msg_a_0" }] };
    return process;
  }

  test("is written after the send, with the time at which the boundary held the prompt", async () => {
    const process = awaiting("msg_a");
    const { inbox } = process;
    expect(
      await process.does(() => inbox.onBoundary(session, [row("msg_z")], PROMOTED_MS)),
    ).toEqual([]);
    const foundAtMs = process.clock.nowMs;
    expect(
      await process.does(() => inbox.onBoundary(session, [row("msg_a")], PROMOTED_MS)),
    ).toEqual([{ kind: "later", delayMs: PROMOTED_MS }]);
    expect(await process.passes(39)).toEqual([]);
    expect(await process.passes(1)).toMatchObject([
      { kind: "promote", messageIds: ["msg_a"], foundAtMs },
    ]);
    expect(
      await process.does(() => inbox.onBoundary(session, [row("msg_a")], PROMOTED_MS)),
    ).toEqual([]);
  });

  test("of a turn that is over already wakes the session: it was looked at too early", async () => {
    const traced: string[] = [];
    for (const activity of ["busy", "idle"] as const) {
      const process = awaiting("msg_a");
      process.deps.traced = async () => void traced.push(activity);
      process.inbox.onEvent({ kind: "busy", sessionId: session });
      process.inbox.onBoundary(session, [row("msg_a")], PROMOTED_MS);
      process.inbox.onEvent({ kind: activity, sessionId: session });
      expect(kinds(await process.passes(PROMOTED_MS))).toEqual(["promote"]);
    }
    expect(traced).toEqual(["idle"]);
  });

  test("is not waited for of a message that was taken back", async () => {
    const process = awaiting("msg_a");
    const { inbox } = process;
    inbox.onBoundary(session, [], PROMOTED_MS);
    const removed = { kind: "removed", sessionId: session, messageId: "msg_a" } as const;
    expect(await process.does(() => inbox.onEvent(removed))).toEqual([
      { kind: "settle", id: "msg_a", state: "undone" },
    ]);
    expect(
      await process.does(() => inbox.onBoundary(session, [row("msg_a")], PROMOTED_MS)),
    ).toEqual([]);
    process.rows.set("msg_b", input("msg_a"));
    const other = { ...removed, messageId: "msg_b" };
    expect(await process.does(() => inbox.onEvent(other))).toEqual([]);
  });

  test("is read from the rows again where a deleted session comes back", async () => {
    const process = awaiting();
    const { inbox } = process;
    inbox.onBoundary(session, [], PROMOTED_MS);
    process.working = [input("msg_a")];
    process.rows.set("msg_a", input("msg_a"));
    expect(
      await process.does(() => inbox.onBoundary(session, [row("msg_a")], PROMOTED_MS)),
    ).toEqual([]);
    inbox.onEvent({ kind: "deleted", sessionId: session });
    expect(kinds(await process.does(() => inbox.onBoundary(session, [row("msg_a")], 40)))).toEqual([
      "later",
    ]);
  });
});

test("a deleted session's asks are answered, and what was held of it is not known any more", async () => {
  const process = new Process();
  const held = Promise.withResolvers<void>();
  process.deps.traced = async () => held.promise;
  const first = process.inbox.check(session);
  const second = process.inbox.resume(session);
  await quiet();
  await process.does(() => process.inbox.onEvent({ kind: "deleted", sessionId: session }));
  expect(await second).toEqual({ kind: "nothing" });
  held.resolve();
  expect(await first).toEqual({ kind: "nothing" });
});
