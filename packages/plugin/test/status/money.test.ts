import { describe, expect, test } from "bun:test";
import { sourceKey } from "../../src/context/key.ts";
import { costOf } from "../../src/session/turn-cost.ts";
import { readStatus } from "../../src/status/model.ts";
import { dollars, moneyLine } from "../../src/status/money.ts";
import { renderStatus } from "../../src/status/render.ts";
import { plain } from "../../src/tui/line.ts";
import { panelLines } from "../../src/tui/view.ts";
import { CALM, linked, NOW_MS } from "../tui/panel-status.ts";
import { inputOf, ledger, minutesAgo, turnsOf, usageOf } from "./records.ts";

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const usage = usageOf(100, 50_000, 400);

describe("what a call was paid for", () => {
  test("is the host's own figure; a lost cache would have cost the dearer writing of what it read", () => {
    const cost = costOf({ usage, paidUsd: 0.0183, price: PRICE, heldTokens: 0 });
    // 50,000 tokens at 3.75 instead of 0.30 dollars per million.
    expect(cost).toEqual({ paidNanos: 18_300_000, rewriteNanos: 172_500_000 });
  });

  test("without a price for writing, what comes before the Baseline would have stayed", () => {
    const price = { ...PRICE, cacheWrite: 0 };
    const lost = (heldTokens: number) =>
      costOf({ usage, paidUsd: 0, price, heldTokens })?.rewriteNanos;
    expect(lost(10_000)).toBe(27_000_000);
    expect(lost(90_000)).toBe(135_000_000);
  });

  test("is not known where the host has no price", () => {
    expect(costOf({ usage, paidUsd: 0, price: null, heldTokens: 0 })).toBeNull();
    const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(costOf({ usage, paidUsd: 0, price: zero, heldTokens: 0 })).toBeNull();
  });
});

describe("what a session was paid for", () => {
  const cost = { paidNanos: 250_000_000, rewriteNanos: 172_500_000 };
  const turns = (priced: typeof cost | null) =>
    turnsOf([
      { epochSeq: 1, atMs: minutesAgo(200), usage, bust: null },
      { epochSeq: 1, atMs: minutesAgo(190), usage, bust: null },
      { epochSeq: 3, atMs: minutesAgo(60), usage, bust: null },
    ]).map((turn) => ({ ...turn, cost: priced }));
  const statusOf = (priced: typeof cost | null) =>
    readStatus(inputOf({ ledger, turns: turns(priced) }), null);

  test("counts as saved the calls alone that told what OpenCode renders into its system prompt", () => {
    const { money } = statusOf(cost).cache;
    expect(money).toEqual({
      paidUsd: 0.75,
      savedUsd: 0.1725,
      sparedCalls: 1,
      sparedTokens: 50_000,
    });
    const report = renderStatus(statusOf(cost)).replace(/\s+/g, " ");
    expect(report).toContain(
      "Paid $0.7500. Saved about $0.1725: OpenCode alone would have lost 50,000 cached tokens at 1 call.",
    );
  });

  test("an update of a source of the user's own saves nothing: OpenCode alone has no such text", () => {
    const entries = ledger.entries.map((entry) => ({
      ...entry,
      told: [{ key: sourceKey("team/weather"), text: "It rains." }],
    }));
    const stored = inputOf({ ledger: { ...ledger, entries }, turns: turns(cost) });
    expect(readStatus(stored, null).cache.money).toMatchObject({ savedUsd: 0, sparedCalls: 0 });
  });

  test("is said in tokens where the host has no price, and not at all where nothing was spared", () => {
    const { money } = statusOf(null).cache;
    expect(moneyLine(money)).toBe("OpenCode alone would have lost 50,000 cached tokens at 1 call.");
    expect(moneyLine({ ...money, sparedCalls: 0, sparedTokens: 0 })).toBeNull();
  });

  test("stands in the panel", () => {
    const said = (money: Partial<typeof CALM.cache.money>) => {
      const cache = { ...CALM.cache, money: { ...CALM.cache.money, ...money } };
      return panelLines(linked({ ...CALM, cache }), NOW_MS, 37).map(plain);
    };
    const paid = { paidUsd: 1.5, savedUsd: 0.25, sparedCalls: 1, sparedTokens: 81_000 };
    expect(said(paid)).toContain("Paid $1.50, saved about $0.2500");
    expect(said({ ...paid, sparedTokens: 0 })).toContain("Paid $1.50");
    expect(said({ sparedTokens: 81_000 })).toContain("Cache kept for 81k tokens");
    expect(said({}).join()).not.toMatch(/Paid|kept/);
  });

  test("sums are shown to the cent, small ones to a hundredth of one", () => {
    expect([0.00421, 12.345].map(dollars)).toEqual(["$0.0042", "$12.35"]);
  });
});

test("a call that opens an epoch is named as that, and counts as no bust", () => {
  const calls = [
    { epochSeq: 1, atMs: minutesAgo(300), usage, bust: null },
    { epochSeq: 3, atMs: minutesAgo(60), usage: usageOf(0, 0, 4_000), bust: null },
  ];
  const status = readStatus(inputOf({ ledger, turns: turnsOf(calls) }), null);
  expect(status.cache.calls.map(({ newEpoch }) => newEpoch)).toEqual([null, "compacted"]);
  expect(status.cache.totals.busts).toBe(0);
  expect(renderStatus(status)).toContain("    + new epoch after a compaction");
});
