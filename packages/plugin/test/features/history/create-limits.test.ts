import { describe, expect, test } from "bun:test";
import type { OutgoingCall } from "../../../src/feature-api/feature-hooks.ts";
import { createLimits } from "../../../src/features/history/create-limits.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { otherSession, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();
const ignore = () => undefined;
const DAY_MS = 86_400_000;
const OVERFLOW = "prompt is too long: 70000 tokens > 60000 maximum";

function opened(database: RuntimeDatabase, nowMs = 1_000) {
  const clock = { nowMs };
  const { statedTokens, hooks } = createLimits({
    database: { current: () => database, ensure: async () => undefined, path: "" },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    now: () => clock.nowMs,
  });
  return {
    clock,
    statedTokens,
    hooks,
    send: (modelId: string, sessionId = session) =>
      hooks.sending?.({ sessionId, modelId, to: { providerId: "anthropic" } } as OutgoingCall),
    refused: (said: readonly string[], sessionId = session) =>
      hooks.onEvent?.({ kind: "refused", sessionId, said, model: null }),
  };
}

describe("what a provider says that its model takes", () => {
  test("is kept for the model that the session's call went to, for all sessions, and survives the process", async () => {
    const { path, database } = workspace.withEpoch();
    const room = opened(database);
    room.send("sonnet", otherSession);
    room.send("opus");
    await room.refused(["Input exceeds context window of this model", OVERFLOW]);
    expect(room.statedTokens("anthropic", "opus")).toBe(60_000);
    expect(room.statedTokens("anthropic", "sonnet")).toBeNull();
    expect(room.statedTokens("bedrock", "opus")).toBeNull();
    database.sessions.remove(session);
    expect(opened(workspace.open(path)).statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("is kept for the model that the refusal names, where the host names one", async () => {
    const { database } = workspace.withEpoch();
    const room = opened(database);
    const model = { providerId: "anthropic", modelId: "opus" };
    await room.hooks.onEvent?.({ kind: "refused", sessionId: session, said: [OVERFLOW], model });
    expect(room.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("is what it said last, for seven days", async () => {
    const { database } = workspace.withEpoch();
    const room = opened(database);
    room.send("opus");
    await room.refused([OVERFLOW]);
    room.clock.nowMs += DAY_MS;
    await room.refused(["prompt is too long: 90000 tokens > 80000 maximum"]);
    expect(room.statedTokens("anthropic", "opus")).toBe(80_000);
    room.clock.nowMs += 7 * DAY_MS;
    expect(room.statedTokens("anthropic", "opus")).toBe(80_000);
    room.clock.nowMs += 1;
    expect(room.statedTokens("anthropic", "opus")).toBeNull();
  });

  test("a refusal that states nothing leaves what is known", async () => {
    const { database } = workspace.withEpoch();
    const room = opened(database);
    room.send("opus");
    await room.refused([OVERFLOW]);
    await room.refused(["Your input exceeds the context window of this model."]);
    expect(room.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("of a compaction's own call, and of a session that is gone, nothing is learnt: nobody names the model", async () => {
    const { database } = workspace.withEpoch();
    const room = opened(database);
    room.send("opus");
    await room.hooks.compacting?.(session, { context: [] });
    await room.refused([OVERFLOW]);
    room.send("opus");
    await room.hooks.onEvent?.({ kind: "deleted", sessionId: session });
    await room.refused([OVERFLOW]);
    expect(room.statedTokens("anthropic", "opus")).toBeNull();
    room.send("opus");
    await room.refused([OVERFLOW]);
    expect(room.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("by another process counts from the next boundary on, and is read once for all until then", async () => {
    const { path, database } = workspace.withEpoch();
    let reads = 0;
    const store: RuntimeDatabase["store"] = (make) => {
      reads += 1;
      return database.store(make);
    };
    const room = opened({ ...database, store });
    database.foreignVersion();
    expect([room, room].map(({ statedTokens }) => statedTokens("anthropic", "opus"))).toEqual([
      null,
      null,
    ]);
    expect(reads).toBe(1);
    const other = opened(workspace.open(path));
    other.send("opus");
    await other.refused([OVERFLOW]);
    database.foreignVersion();
    expect(room.statedTokens("anthropic", "opus")).toBe(60_000);
    expect(room.statedTokens("anthropic", "sonnet")).toBeNull();
  });
});
