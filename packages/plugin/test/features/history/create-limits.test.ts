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
    const feature = opened(database);
    feature.send("sonnet", otherSession);
    feature.send("opus");
    await feature.refused(["Input exceeds context window of this model", OVERFLOW]);
    expect(feature.statedTokens("anthropic", "opus")).toBe(60_000);
    expect(feature.statedTokens("anthropic", "sonnet")).toBeNull();
    expect(feature.statedTokens("bedrock", "opus")).toBeNull();
    database.sessions.remove(session);
    expect(opened(workspace.open(path)).statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("is kept for the model that the refusal names, where the host names one", async () => {
    const { database } = workspace.withEpoch();
    const feature = opened(database);
    const model = { providerId: "anthropic", modelId: "opus" };
    await feature.hooks.onEvent?.({ kind: "refused", sessionId: session, said: [OVERFLOW], model });
    expect(feature.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("is what it said last, for seven days", async () => {
    const { database } = workspace.withEpoch();
    const feature = opened(database);
    feature.send("opus");
    await feature.refused([OVERFLOW]);
    feature.clock.nowMs += DAY_MS;
    await feature.refused(["prompt is too long: 90000 tokens > 80000 maximum"]);
    expect(feature.statedTokens("anthropic", "opus")).toBe(80_000);
    feature.clock.nowMs += 7 * DAY_MS;
    expect(feature.statedTokens("anthropic", "opus")).toBe(80_000);
    feature.clock.nowMs += 1;
    expect(feature.statedTokens("anthropic", "opus")).toBeNull();
  });

  test("a refusal that states nothing leaves what is known", async () => {
    const { database } = workspace.withEpoch();
    const feature = opened(database);
    feature.send("opus");
    await feature.refused([OVERFLOW]);
    await feature.refused(["Your input exceeds the context window of this model."]);
    expect(feature.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("of a compaction's own call, and of a session that is gone, nothing is learnt: nobody names the model", async () => {
    const { database } = workspace.withEpoch();
    const feature = opened(database);
    feature.send("opus");
    await feature.hooks.compacting?.(session, { context: [] });
    await feature.refused([OVERFLOW]);
    feature.send("opus");
    await feature.hooks.onEvent?.({ kind: "deleted", sessionId: session });
    await feature.refused([OVERFLOW]);
    expect(feature.statedTokens("anthropic", "opus")).toBeNull();
    feature.send("opus");
    await feature.refused([OVERFLOW]);
    expect(feature.statedTokens("anthropic", "opus")).toBe(60_000);
  });

  test("by another process counts from the next boundary on, and is read once for all until then", async () => {
    const { path, database } = workspace.withEpoch();
    let reads = 0;
    const store: RuntimeDatabase["store"] = (make) => {
      reads += 1;
      return database.store(make);
    };
    const feature = opened({ ...database, store });
    database.foreignVersion();
    expect([feature, feature].map(({ statedTokens }) => statedTokens("anthropic", "opus"))).toEqual(
      [null, null],
    );
    expect(reads).toBe(1);
    const other = opened(workspace.open(path));
    other.send("opus");
    await other.refused([OVERFLOW]);
    database.foreignVersion();
    expect(feature.statedTokens("anthropic", "opus")).toBe(60_000);
    expect(feature.statedTokens("anthropic", "sonnet")).toBeNull();
  });
});
