import { expect, test } from "bun:test";
import { otherSession, session } from "../../storage/records.ts";
import { Process } from "./process.ts";

const acquire = { kind: "acquire", sessionId: session } as const;
const release = { kind: "release", sessionId: session } as const;
const renewal = { kind: "later", delayMs: 20_000 } as const;
const busy = { kind: "busy", sessionId: session } as const;

test("a lease is taken with a prompt and with a turn, and renewed by one timer while it is held", async () => {
  const process = new Process();
  expect(await process.comes("msg_a")).toContainEqual(acquire);
  const running = new Process();
  expect(await running.does(() => running.inbox.onEvent(busy))).toEqual([acquire, renewal]);
  expect(await running.does(() => running.inbox.onEvent(busy))).toEqual([]);
  const { leases } = process.instance;
  expect(await process.does(() => leases.acquire(session))).toEqual([acquire]);
  const other = { ...acquire, sessionId: otherSession };
  expect(await process.does(() => leases.acquire(otherSession))).toEqual([other]);
  expect(await process.passes(19_999)).toEqual([]);
  expect(await process.passes(1)).toEqual([renewal, acquire, other]);
  expect(await process.passes(20_000)).toEqual([renewal, acquire, other]);
});

test("a lease that another process has taken is not renewed, and the timer ends", async () => {
  const process = new Process();
  const { leases } = process.instance;
  process.lease = "held";
  expect(await process.does(() => leases.acquire(session))).toEqual([acquire]);
  process.lease = "mine";
  expect(leases.acquire(session)).toBe("held");
  process.lease = "held";
  expect([leases.acquire(session), leases.has(session)]).toEqual(["none", false]);
  expect(await process.passes(20_000)).toEqual([]);
  process.lease = "mine";
  expect(await process.does(() => leases.acquire(session))).toEqual([acquire, renewal]);
});

test("leases of all sessions are given back when the inbox is closed", async () => {
  const { inbox, does, passes } = bound(new Process());
  inbox.onEvent(busy);
  inbox.onEvent({ ...busy, sessionId: otherSession });
  const other = { ...release, sessionId: otherSession };
  expect(await does(() => inbox.close())).toEqual([release, other]);
  expect(await does(() => inbox.close())).toEqual([]);
  expect(await passes(20_000)).toEqual([]);
});

test("a lease that was given back is not given back again", async () => {
  const { instance, does } = bound(new Process());
  instance.leases.acquire(session);
  expect(await does(() => instance.leases.release(session))).toEqual([release]);
  expect(await does(() => instance.leases.release(session))).toEqual([]);
});

function bound(process: Process) {
  const { inbox, instance } = process;
  return {
    inbox,
    instance,
    does: process.does.bind(process),
    passes: process.passes.bind(process),
  };
}
