import { describe, expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import {
  type BilledCall,
  computeCost,
  PER_CALL_RENDERING_HOST,
  type Price,
} from "../../src/session/turn-cost.ts";
import { readStatus } from "../../src/status/model.ts";
import { formatDollars, renderMoneyLine } from "../../src/status/money.ts";
import { renderStatus } from "../../src/status/render.ts";
import { toPlainText } from "../../src/tui/line.ts";
import { renderPanelLines } from "../../src/tui/view.ts";
import { CALM, linked, NOW_MS } from "../tui/panel-status.ts";
import { createStatusInput, createTurns, createUsage, ledger, minutesAgo } from "./records.ts";

const PRICE = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  caching: "breakpoints",
} as const;
const NONE = { announced: 0, carried: 0 };
const NOTHING_GONE = { droppedTokens: 0, newlyDroppedTokens: 0, rewrittenTokens: null };
const TOLD = { announced: 400, carried: 0 };
const usage = createUsage(100, 50_000, 400);

describe("what a call was paid for", () => {
  const savedBy = (changes: Partial<BilledCall>) =>
    computeCost({
      usage,
      paidUsd: 0,
      price: PRICE,
      heldTokens: 0,
      ownToolTokens: 0,
      ...NOTHING_GONE,
      updates: NONE,
      alone: PER_CALL_RENDERING_HOST,
      ...changes,
    })?.savedNanos;

  test("is the host's own figure; at an update, what it read would have been written again", () => {
    const call = {
      usage,
      paidUsd: 0.0183,
      price: PRICE,
      heldTokens: 0,
      ownToolTokens: 0,
      ...NOTHING_GONE,
      alone: PER_CALL_RENDERING_HOST,
      updates: TOLD,
    };
    // 50,000 tokens at 3.75 instead of 0.30 dollars per million, less 100 of the update at 3.75.
    expect(computeCost(call)).toEqual({ paidNanos: 18_300_000, savedNanos: 172_500_000 - 375_000 });
  });

  test("later calls carry the update, at the price of reading, and of writing where the cache was cold", () => {
    const updates = { announced: 0, carried: 400 };
    expect(savedBy({})).toBe(0);
    expect(savedBy({ updates })).toBe(-30_000);
    // At the next update OpenCode alone would write the rest again, without the earlier one.
    expect(savedBy({ updates: { announced: 400, carried: 400 } })).toBe(
      49_900 * 3_450 - 375_000 - 30_000,
    );
    expect(savedBy({ updates, usage: createUsage(100, 0, 50_400) })).toBe(-375_000);
  });

  test("of a host that renders its prompt at its start alone: nothing was written again where we announce, all of it where it changes its prompt", () => {
    const updates = { announced: 400, carried: 0 };
    const alone = { ...PER_CALL_RENDERING_HOST, prompt: "kept" } as const;
    expect(savedBy({ updates, alone })).toBe(-375_000);
    const rewritten = { ...alone, prompt: "rewritten" } as const;
    expect(savedBy({ alone: rewritten })).toBe(usage.cacheReadTokens * 3_450);
    expect(savedBy({ alone: { ...rewritten, keptTokens: 2_000 } })).toBe(
      (usage.cacheReadTokens - 2_000) * 3_450,
    );
    // What it would have announced itself is no cost of ours.
    expect(savedBy({ updates, alone: { ...alone, announcedBytes: 400 } })).toBe(0);
    expect(
      savedBy({ updates: { announced: 0, carried: 400 }, alone: { ...alone, carriedBytes: 400 } }),
    ).toBe(0);
  });

  test("our tools are carried by each call", () => {
    expect(savedBy({ ownToolTokens: 400 })).toBe(400 * -300);
    expect(savedBy({ ownToolTokens: 400, usage: createUsage(100, 0, 50_400) })).toBe(400 * -3_750);
    // What OpenCode alone would have written again has them neither.
    expect(savedBy({ ownToolTokens: 400, updates: TOLD })).toBe(49_600 * 3_450 - 375_000 - 120_000);
  });

  test("what is gone of the history is read no more; where it went, the rest was written again once", () => {
    expect(savedBy({ droppedTokens: 1_000 })).toBe(1_000 * 300);
    // 61,000 had been sent, 1,000 of them went, and only 50,000 of the others could be read.
    const rewrite = { droppedTokens: 1_000, newlyDroppedTokens: 1_000, rewrittenTokens: 61_000 };
    expect(savedBy(rewrite)).toBe(1_000 * 300 - 10_000 * 3_450);
    // A dead cache is written again with or without it.
    const cold = { ...rewrite, usage: createUsage(100, 0, 50_400) };
    expect(savedBy(cold)).toBe(1_000 * 3_750);
    // OpenCode alone would have written it again with the rest.
    expect(savedBy({ droppedTokens: 1_000, updates: TOLD })).toBe(
      51_000 * 3_450 + 1_000 * 300 - 375_000,
    );
  });

  test("where the provider caches by itself, what comes before the Baseline would have stayed, whether it charges for writing or not", () => {
    const free = { ...PRICE, cacheWrite: 0, caching: "automatic" } as const;
    const lost = (price: Price, heldTokens: number) =>
      savedBy({ price, heldTokens, updates: TOLD });
    expect(lost(free, 10_000)).toBe(27_000_000 - 300_000);
    expect(lost(free, 90_000)).toBe(135_000_000 - 300_000);
    expect(lost({ ...PRICE, caching: "automatic" }, 10_000)).toBe(34_500_000 - 375_000);
  });

  test("is not known where the host has no price", () => {
    const zero = { ...PRICE, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(savedBy({ price: null })).toBeUndefined();
    expect(savedBy({ price: zero })).toBeUndefined();
  });
});

describe("what a session was paid for", () => {
  const cost = { paidNanos: 250_000_000, savedNanos: 172_500_000 };
  const turns = (priced: typeof cost | null) =>
    createTurns([
      { epochSeq: 1, atMs: minutesAgo(200), usage, bust: null },
      { epochSeq: 1, atMs: minutesAgo(190), usage, bust: null },
      { epochSeq: 3, atMs: minutesAgo(60), usage, bust: null },
    ]).map((turn) => ({ ...turn, cost: priced }));
  const readPricedStatus = (priced: typeof cost | null) =>
    readStatus(createStatusInput({ ledger, turns: turns(priced) }), null);

  test("is the sum of its calls; those that told what OpenCode renders into its system prompt are counted", () => {
    const { money } = readPricedStatus(cost).cache;
    expect(money).toEqual({
      paidUsd: 0.75,
      savedUsd: 0.5175,
      sparedCalls: 1,
      sparedTokens: 50_000,
    });
    const report = renderStatus(readPricedStatus(cost)).replace(/\s+/g, " ");
    expect(report).toContain(
      "Paid $0.7500, saved about $0.5175 against OpenCode alone, which would have changed its system prompt at 1 call that read 50,000 tokens from the cache.",
    );
  });

  test("an update of a source of the user's own is not counted: OpenCode alone has no such text", () => {
    const entries = ledger.entries.map((entry) => ({
      ...entry,
      announced: [{ key: toSourceKey("team/weather"), text: "It rains." }],
    }));
    const stored = createStatusInput({ ledger: { ...ledger, entries }, turns: turns(cost) });
    expect(readStatus(stored, null).cache.money).toMatchObject({ sparedCalls: 0, sparedTokens: 0 });
  });

  test("is said in tokens where the host has no price, and not at all where nothing was spared", () => {
    const { money } = readPricedStatus(null).cache;
    expect(renderMoneyLine(money)).toBe(
      "OpenCode alone would have changed its system prompt at 1 call that read 50,000 tokens from the cache.",
    );
    expect(renderMoneyLine({ ...money, sparedCalls: 0, sparedTokens: 0 })).toBeNull();
  });

  test("is said against the host that the session runs in", () => {
    const report = (harness: string | null) => renderStatus({ ...readPricedStatus(null), harness });
    expect(report(null)).toContain("OpenCode alone would have");
    expect(report("third")).not.toContain("alone");
    const saving = { paidUsd: 2, savedUsd: 0.5, sparedCalls: 2, sparedTokens: 900 };
    expect(renderMoneyLine(saving, "Third")).toBe(
      "Paid $2.00, saved about $0.5000 against Third alone.",
    );
    const costing = { ...saving, savedUsd: -0.01, sparedCalls: 0 };
    expect(renderMoneyLine(costing, "Third")).toBe(
      "Paid $2.00, about $0.0100 more than Third alone.",
    );
    expect(renderMoneyLine({ ...saving, savedUsd: 0 }, "Third")).toBe("Paid $2.00.");
  });

  test("updates that cost more than they kept are said as that", () => {
    const money = { paidUsd: 2, savedUsd: -0.0123, sparedCalls: 1, sparedTokens: 0 };
    expect(renderMoneyLine(money)).toStartWith(
      "Paid $2.00, about $0.0123 more than OpenCode alone, ",
    );
  });

  test("stands in the panel", () => {
    const said = (money: Partial<typeof CALM.cache.money>, harness: string | null = null) => {
      const cache = { ...CALM.cache, money: { ...CALM.cache.money, ...money } };
      return renderPanelLines(linked({ ...CALM, harness, cache }), NOW_MS, 37).map(toPlainText);
    };
    const paid = { paidUsd: 1.5, savedUsd: 0.25, sparedCalls: 1, sparedTokens: 81_000 };
    expect(said(paid)).toContain("Paid $1.50");
    expect(said(paid)).toContain("Saved about $0.2500 vs OpenCode alone");
    expect(said(paid, "pi")).toContain("Saved about $0.2500 vs Pi alone");
    expect(said({ ...paid, sparedTokens: 0 })).toContain("Paid $1.50");
    expect(said({ sparedTokens: 81_000 })).toContain("Cache kept for 81k tokens");
    expect(said({}).join()).not.toMatch(/Paid|kept/);
  });

  test("sums are shown to the cent, small ones to a hundredth of one", () => {
    const sums = [0.00421, 12.345, -0.00421, -0.000001];
    expect(sums.map(formatDollars)).toEqual(["$0.0042", "$12.35", "-$0.0042", "$0.0000"]);
  });
});

test("a call that opens an epoch is named as that, and counts as no bust", () => {
  const calls = [
    { epochSeq: 1, atMs: minutesAgo(300), usage, bust: null },
    { epochSeq: 3, atMs: minutesAgo(60), usage: createUsage(0, 0, 4_000), bust: null },
  ];
  const status = readStatus(createStatusInput({ ledger, turns: createTurns(calls) }), null);
  expect(status.cache.calls.map(({ newEpoch }) => newEpoch)).toEqual([null, "compacted"]);
  expect(status.cache.totals.busts).toBe(0);
  expect(renderStatus(status)).toContain("    + new epoch after a compaction");
});
