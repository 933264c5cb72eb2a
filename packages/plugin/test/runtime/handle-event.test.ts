// What a host says: whom it reaches, and in which order.
import { expect, test } from "bun:test";
import { handleEvent, type RuntimeEvent } from "../../src/runtime/host-calls.ts";
import type { SessionId } from "../../src/storage/records.ts";

const sessionId = "ses_1" as SessionId;
const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3 };
const billed: RuntimeEvent = {
  ...{ kind: "billed", sessionId, messageId: "msg_1", usage, model: "a/b", paidUsd: 0.5 },
};

async function recordEvents(said: RuntimeEvent): Promise<readonly unknown[]> {
  const heard: unknown[] = [];
  const runtime = {
    setStatus: (_: SessionId, status: string) => heard.push(`status ${status}`),
    removeSession: (id: SessionId) => heard.push(`removed ${id}`),
    turns: { settle: (call: unknown) => heard.push(call) },
  };
  const runner = {
    pause: (ms: number) => heard.push(`pause ${ms}`),
    wake: () => heard.push("wake"),
  };
  const dispatch = async (name: string, given: unknown) => {
    await Bun.sleep(1);
    heard.push([name, given]);
  };
  await handleEvent({ runtime, runner, dispatch } as never, said);
  return heard;
}

test("the runtime hears first, then the features; at rest they settle, and the jobs have their turn last", async () => {
  const busy: RuntimeEvent = { kind: "busy", sessionId };
  expect(await recordEvents(busy)).toEqual(["status busy", ["onEvent", busy]]);
  const idle: RuntimeEvent = { kind: "idle", sessionId };
  expect(await recordEvents(idle)).toEqual([
    ...["status idle", ["onEvent", idle], ["settled", sessionId], "wake"],
  ]);
});

test("a deleted session's rows are gone when features hear of it, a call's figures are written", async () => {
  const deleted: RuntimeEvent = { kind: "deleted", sessionId };
  expect(await recordEvents(deleted)).toEqual([`removed ${sessionId}`, ["onEvent", deleted]]);
  expect(await recordEvents(billed)).toEqual([billed, ["onEvent", billed]]);
});

test("after a refusal jobs wait; of all else the features alone hear", async () => {
  const refused: RuntimeEvent = { kind: "refused", sessionId, said: ["no"], model: null };
  expect(await recordEvents(refused)).toEqual(["pause 0", ["onEvent", refused]]);
  const others: readonly RuntimeEvent[] = [
    { kind: "compacted", sessionId },
    { kind: "touched", sessionId },
    { kind: "saved", sessionId, messageId: "msg_1" },
    { kind: "removed", sessionId, messageId: "msg_1" },
  ];
  for (const other of others) expect(await recordEvents(other)).toEqual([["onEvent", other]]);
});

test("a host that runs no jobs says the same", async () => {
  const dispatch = async () => undefined;
  const runtime = { setStatus: () => undefined };
  await handleEvent({ runtime, runner: null, dispatch } as never, { kind: "idle", sessionId });
  await handleEvent({ runtime, runner: null, dispatch } as never, {
    ...{ kind: "refused", sessionId, said: [], model: null },
  });
});
