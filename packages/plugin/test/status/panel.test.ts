import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readLayers } from "../../src/status/layers.ts";
import { readStatus } from "../../src/status/model.ts";
import { readPanel } from "../../src/status/panel.ts";
import {
  createLiveState,
  createStatusInput,
  createTurns,
  createUsage,
  ledger,
  minutesAgo,
  session,
  shown,
} from "./records.ts";

const SHOWN = { toasts: "shown", notice: null, off: [] } as const;

const live = (given: Parameters<typeof createLiveState>[0]) =>
  createLiveState({ toolsTokens: () => 500, ...given });

function readTestPanel(calls: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(calls);
  return readPanel(readStatus(createStatusInput({ ledger, turns }), live({})), SHOWN);
}

const calls = [
  { epochSeq: 1, atMs: minutesAgo(90), usage: createUsage(0, 0, 5_000), bust: null },
  { epochSeq: 3, atMs: minutesAgo(50), usage: createUsage(0, 0, 4_000), bust: "a new epoch began" },
  { epochSeq: 3, atMs: minutesAgo(20), usage: createUsage(10, 4_000, 90), bust: null },
] as const;

describe("the panel of a session", () => {
  test("is its status in short: epoch, last update, hit rates of the newest calls", () => {
    const panel = readTestPanel(calls);
    expect(panel).toMatchObject({
      sessionId: session,
      epoch: { number: 2, cause: "compacted", startedAtMs: minutesAgo(60) },
      warnings: [],
      storageFault: null,
      toasts: "shown",
    });
    expect(panel.lastUpdate?.keys).toEqual(["core/skills"]);
    expect(panel.cache.recentRates.map((rate) => rate && Math.round(rate * 100))).toEqual([
      0, 0, 98,
    ]);
    expect(panel.cache.hitRate).toBeCloseTo(4_000 / 13_100);
  });

  test("leaves out an update that an undo took back, where the host's history is known", () => {
    const status = readStatus(createStatusInput({ ledger }), live({ shown }));
    expect(readPanel(status, SHOWN).lastUpdate?.keys).toEqual(["core/mcp"]);
  });

  test("a fold that stands is a layer; one that an undo took back is none", () => {
    const text = "In short. ".repeat(100);
    const edit = { verb: "fold", first: "msg_1", last: "msg_2", text } as const;
    const [entry] = ledger.entries;
    if (!entry) throw new Error("an entry");
    const fold = { ...entry, seq: 8, epochSeq: 3, edit, announced: [], delta: {} };
    const folded = { ...ledger, entries: [...ledger.entries, fold] };
    const readPanelLayers = (seqs: readonly number[]) =>
      readStatus(
        createStatusInput({ ledger: folded, turns: createTurns(calls) }),
        live({ shown: { ...shown, entrySeqs: new Set(seqs) } }),
      ).layers;
    expect(readPanelLayers([4, 8])).toContainEqual({ layer: "history", tokens: 250 });
    expect(readPanelLayers([4]).map(({ layer }) => layer)).not.toContain("history");
  });

  test("has what features did last", () => {
    const mark = { word: "folded", atMs: minutesAgo(4) };
    const section = { label: "History", text: "", short: "spares 9 tokens a call", mark };
    const input = createStatusInput({ ledger });
    if (input.stored.kind !== "read") throw new Error("a stored session");
    const stored = { ...input.stored, sections: [section, { ...section, short: null }] };
    const panel = readPanel(readStatus({ ...input, stored }, live({})), {
      ...SHOWN,
      toasts: "silent",
    });
    expect(panel).toMatchObject({
      ...{ sections: ["History: spares 9 tokens a call"], marks: [mark, mark], toasts: "silent" },
    });
  });

  test("layers add up to what the provider counted of the newest call", () => {
    const { layers } = readTestPanel(calls);
    expect(layers.map(({ layer }) => layer)).toEqual([
      "tools",
      "baseline",
      "updates",
      "conversation",
    ]);
    expect(layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(4_100);
  });

  test("a bust at an epoch's first call, or after a pause, was to be expected; others were not", () => {
    expect(readTestPanel(calls).cache.lastBust).toMatchObject({
      nature: "expected",
      billedTokens: 4_000,
    });
    const later = (bust: string) => [
      ...calls,
      { epochSeq: 3, atMs: minutesAgo(5), usage: createUsage(0, 0, 4_200), bust },
    ];
    expect(
      readTestPanel(later("idle for 9 min, beyond the cache's life")).cache.lastBust?.nature,
    ).toBe("expected");
    // A rewrite of ours is none: it paid, and nobody is warned of it.
    expect(
      readTestPanel(later("old history was dropped: the call would not have fitted")).cache
        .lastBust,
    ).toMatchObject({ cause: "a new epoch began" });
    expect(readTestPanel(later("the tool list changed")).cache.lastBust).toMatchObject({
      nature: "avoidable",
      confirmation: "confirmed",
    });
  });

  test("stays small however long the session is", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      epochSeq: 3,
      atMs: minutesAgo(50) + index,
      usage: createUsage(1, 4_000, 10),
      bust: null,
    }));
    const panel = readTestPanel(many);
    expect(panel.cache.calls).toBe(2_000);
    expect(panel.cache.recentRates).toHaveLength(16);
    expect(JSON.stringify(panel).length).toBeLessThan(4_000);
  });

  test("without an open database says what is wrong with it", () => {
    const stored = { kind: "unreadable", code: "locked", message: "It is locked." } as const;
    const status = readStatus({ ...createStatusInput({}), stored }, live({}));
    expect(readPanel(status, SHOWN)).toMatchObject({ storageFault: "It is locked.", layers: [] });
  });
});

describe("layers", () => {
  test("are none before the provider has reported", () => {
    expect(
      readLayers({
        totalTokens: null,
        baselineTokens: 10,
        historyTokens: 0,
        updatesTokens: 0,
        toolsTokens: 5,
      }),
    ).toEqual([]);
  });

  test("show tools and conversation as one while nothing is known of the tools", () => {
    expect(
      readLayers({
        totalTokens: 100,
        baselineTokens: 10,
        historyTokens: 20,
        updatesTokens: 5,
        toolsTokens: null,
      }),
    ).toEqual([
      { layer: "baseline", tokens: 10 },
      { layer: "history", tokens: 20 },
      { layer: "updates", tokens: 5 },
      { layer: "rest", tokens: 65 },
    ]);
  });

  test("never are negative and always add up, however wrong the estimates are", () => {
    const count = fc.nat(300_000);
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        fc.option(count),
        (total, baseline, history, updates, tools) => {
          const layers = readLayers({
            totalTokens: total,
            baselineTokens: baseline,
            historyTokens: history,
            updatesTokens: updates,
            toolsTokens: tools,
          });
          expect(layers.every(({ tokens }) => tokens >= 0)).toBe(true);
          expect(layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
        },
      ),
    );
  });
});
