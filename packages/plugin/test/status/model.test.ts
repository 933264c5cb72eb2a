import { describe, expect, test } from "bun:test";
import { hashText } from "../../src/context/canonical.ts";
import { toSourceKey } from "../../src/context/key.ts";
import { readStatus } from "../../src/status/model.ts";
import {
  createLiveState,
  createStatusInput,
  createTurns,
  createUsage,
  epochRecord,
  ledger,
  minutesAgo,
  session,
  shown,
} from "./records.ts";

const status = readStatus(createStatusInput({ ledger }), createLiveState({ shown }));

describe("the epoch", () => {
  test("is counted from 1 among the session's epochs, not by its rank in the ledger", () => {
    expect(status.epoch).toMatchObject({ number: 2, count: 2, cause: "compacted" });
  });

  test("shows the Baseline's bytes in UTF-8 and the first 8 digits of its hash", () => {
    const { baseline } = epochRecord(3, "compacted", null, 0);
    const bytes = new TextEncoder().encode(baseline).length;
    expect(bytes).toBeGreaterThan(baseline.length);
    expect(status.epoch?.baseline).toEqual({
      bytes,
      approxTokens: Math.ceil(bytes / 4),
      hash: hashText(baseline).slice(0, 8),
    });
  });

  test("is the former one again when its compaction is undone", () => {
    const undone = { ...shown, epochSeq: 1, entrySeqs: new Set<number>() };
    const { epoch } = readStatus(createStatusInput({ ledger }), createLiveState({ shown: undone }));
    expect(epoch).toMatchObject({ number: 1, count: 2 });
  });

  test("without the host it is the one of the newest call", () => {
    const turns = createTurns([{ epochSeq: 1, atMs: minutesAgo(1), usage: null, bust: null }]);
    expect(readStatus(createStatusInput({ ledger, turns }), null).epoch?.number).toBe(1);
    expect(readStatus(createStatusInput({ ledger }), null).epoch?.number).toBe(2);
  });
});

describe("sources", () => {
  const byKey = new Map(status.sources.map((source) => [source.key, source]));

  test("come in code-unit order of their keys", () => {
    expect(status.sources.map(({ key }) => key)).toEqual([
      "core/date",
      "core/instructions",
      "core/mcp",
    ]);
  });

  test("are current, with how often and when they were told in this epoch", () => {
    expect(byKey.get("core/date")).toEqual({
      key: "core/date",
      state: { kind: "current" },
      timesSent: 2,
      firstSentAtMs: minutesAgo(60),
      changedAtMs: minutesAgo(40),
    });
    expect(byKey.get("core/instructions")).toMatchObject({ timesSent: 1, changedAtMs: null });
  });

  test("are removed when the model was last told that they are gone", () => {
    expect(byKey.get("core/mcp")?.state).toEqual({ kind: "removed" });
  });

  test("don't count what an undo took back", () => {
    expect(byKey.has("core/skills")).toBe(false);
  });

  test("are unavailable since when and why, be they told or not", () => {
    const failing = ["core/date", "team/oncall"].map((key) => ({
      key: toSourceKey(key),
      reason: "no answer within 1000 ms",
      sinceMs: minutesAgo(2),
    }));
    const { sources } = readStatus(
      createStatusInput({ ledger }),
      createLiveState({ shown, failing }),
    );
    const state = {
      kind: "unavailable",
      sinceMs: minutesAgo(2),
      reason: "no answer within 1000 ms",
    } as const;
    expect(sources.filter((source) => source.state.kind === "unavailable")).toEqual([
      expect.objectContaining({ key: "core/date", state, timesSent: 2 }),
      {
        key: "team/oncall",
        state,
        timesSent: 0,
        firstSentAtMs: null,
        changedAtMs: null,
      },
    ]);
  });

  test("are told, no more, without the host", () => {
    const { sources } = readStatus(createStatusInput({ ledger }), null);
    expect(new Set(sources.map(({ state }) => state.kind))).toEqual(new Set(["sent", "removed"]));
  });
});

describe("Mid-Conversation System Messages", () => {
  test("stand if replay shows them, and are withdrawn if it does not", () => {
    expect(status.updates.map(({ keys, state }) => [...keys, state])).toEqual([
      ["core/date", "standing"],
      ["core/mcp", "standing"],
      ["core/mcp", "standing"],
      ["core/skills", "withdrawn"],
    ]);
    expect(status.formerUpdates).toBe(1);
  });

  test("are unchecked without the host", () => {
    const { updates } = readStatus(createStatusInput({ ledger }), null);
    expect(new Set(updates.map(({ state }) => state))).toEqual(new Set(["unchecked"]));
  });

  test("witnesses and history edits are none", () => {
    const [update] = ledger.entries;
    if (!update) throw new Error("no entry");
    const entries = [
      { ...update, edit: null },
      { ...update, announced: [], delta: {} },
    ];
    const { updates } = readStatus(createStatusInput({ ledger: { ...ledger, entries } }), null);
    expect(updates).toEqual([]);
  });
});

describe("the cache", () => {
  const call = { epochSeq: 1, atMs: minutesAgo(1), bust: null };
  const bust = "the tool list changed";
  const read = (calls: Parameters<typeof createTurns>[0]) =>
    readStatus(createStatusInput({ ledger, turns: createTurns(calls) }), null).cache;

  test("hit rate is read / (read + write + input), and null where nothing was counted", () => {
    const { calls, totals } = read([
      { ...call, usage: createUsage(100, 0, 900) },
      { ...call, usage: createUsage(0, 900, 100) },
      { ...call, usage: createUsage(0, 0, 0) },
      { ...call, usage: null },
    ]);
    expect(calls.map(({ hitRate }) => hitRate)).toEqual([0, 0.9, null, null]);
    expect(totals).toMatchObject({ calls: 4, reported: 3, hitRate: 0.45, outputTokens: 300 });
  });

  test.each([
    ["confirmed by figures that read less than was stored", createUsage(0, 100, 1000), "confirmed"],
    ["denied by figures that read all of it", createUsage(0, 1000, 100), "denied"],
    ["unknown without figures", null, "unknown"],
  ] as const)("a bust is %s", (_, usage, confirmation) => {
    const { calls, totals } = read([
      { ...call, usage: createUsage(0, 0, 1000) },
      { ...call, usage, bust },
    ]);
    expect(calls[1]?.bust).toEqual({ cause: bust, confirmation });
    expect(totals.busts).toBe(1);
    expect(totals.confirmedBusts).toBe(confirmation === "confirmed" ? 1 : 0);
  });

  test("a rewrite of history is no bust", () => {
    const { totals } = read([
      { ...call, usage: createUsage(0, 0, 1000) },
      { ...call, usage: createUsage(0, 100, 1000), bust },
      { ...call, usage: createUsage(0, 100, 1000), bust: "old history was dropped: it paid" },
    ]);
    expect(totals).toMatchObject({ busts: 1, confirmedBusts: 1, rewrites: 1 });
  });

  test("figures are compared with the former call of the same model", () => {
    const turns = [
      ...createTurns([{ ...call, usage: createUsage(0, 0, 500), bust }], "second"),
      ...createTurns([{ ...call, usage: createUsage(0, 0, 1000) }], "first"),
    ];
    const { calls } = readStatus(createStatusInput({ ledger, turns }), null).cache;
    expect(calls[1]?.bust?.confirmation).toBe("unknown");
  });
});

test("a status is values only: it survives JSON unchanged", () => {
  expect(JSON.parse(JSON.stringify(status))).toEqual(status);
});

test("I15: a database that can't be read is a finding", () => {
  const stored = { kind: "unreadable", code: "locked", message: "It is locked." } as const;
  const broken = readStatus({ sessionId: session, nowMs: 0, stored }, null);
  expect(broken).toMatchObject({ epoch: null, storage: stored, sources: [] });
});
