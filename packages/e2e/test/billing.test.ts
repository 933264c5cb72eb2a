import { describe, expect, test } from "bun:test";
import { type CacheSettings, makePromptCache, REALISTIC } from "../src/billing/cache.ts";
import { actualBill, billRatio, idealBill, idealWithoutCredit } from "../src/billing/ideal.ts";
import { type Caching, computePromptBill, RATES } from "../src/billing/rates.ts";
import type { Block } from "../src/block.ts";
import { billedCall, blockOfTokens, marked } from "./requests.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => blockOfTokens(name, 100)) as [
  Block,
  Block,
  Block,
  Block,
];

function makeCache(caching: Caching, changes: Partial<CacheSettings>) {
  const cache = makePromptCache({ ...REALISTIC, clock: () => 0, minimumTokens: 0, ...changes });
  return (blocks: readonly Block[], model = "m") => cache.bill({ model, caching, blocks });
}

describe("a cache with breakpoints", () => {
  test("writes up to the last breakpoint, and bills what follows it as input", () => {
    const bill = makeCache("breakpoints", {});
    expect(bill([a, marked(b), c])).toEqual({ inputTokens: 100, writeTokens: 200, readTokens: 0 });
  });

  test("reads the longest stored prefix and writes the rest", () => {
    const bill = makeCache("breakpoints", {});
    bill([a, marked(b)]);
    const usage = bill([a, b, c, marked(d)]);
    expect(usage).toEqual({ inputTokens: 0, writeTokens: 200, readTokens: 200 });
  });

  test("finds only prefixes that ended at a breakpoint when they were sent", () => {
    const bill = makeCache("breakpoints", {});
    bill([a, b, marked(c)]);
    expect(bill([a, b, marked(d)]).readTokens).toBe(0);
  });

  test("looks back twenty positions from a breakpoint and no further", () => {
    const far = Array.from({ length: 20 }, (_, index) => blockOfTokens(`f${index}`, 10));
    const within = far.slice(0, 18);
    const bill = makeCache("breakpoints", {});
    bill([marked(a)]);
    expect(bill([a, ...within, marked(b)]).readTokens).toBe(100);
    const fresh = makeCache("breakpoints", {});
    fresh([marked(a)]);
    expect(fresh([a, ...far, marked(b)]).readTokens).toBe(0);
  });

  test("an earlier breakpoint in the request is a place to look back from", () => {
    const far = Array.from({ length: 30 }, (_, index) => blockOfTokens(`f${index}`, 10));
    const bill = makeCache("breakpoints", {});
    bill([marked(a)]);
    expect(bill([marked(a), ...far, marked(b)]).readTokens).toBe(100);
  });

  test("an entry dies five minutes after its last use", () => {
    let now = 0;
    const bill = makeCache("breakpoints", { clock: () => now });
    bill([marked(a)]);
    now += 299_000;
    expect(bill([marked(a)]).readTokens).toBe(100);
    now += 299_000;
    expect(bill([marked(a)]).readTokens).toBe(100);
    now += 300_000;
    expect(bill([marked(a)]).readTokens).toBe(0);
  });

  test("a prefix below the minimum is neither stored nor found", () => {
    const bill = makeCache("breakpoints", { minimumTokens: 150 });
    bill([marked(a)]);
    expect(bill([marked(a)])).toEqual({ inputTokens: 100, writeTokens: 0, readTokens: 0 });
  });

  test("each model has a cache of its own", () => {
    const bill = makeCache("breakpoints", {});
    bill([marked(a)], "one");
    expect(bill([marked(a)], "two").readTokens).toBe(0);
  });
});

describe("an automatic cache", () => {
  test("reads the longest common prefix in steps of 128 tokens", () => {
    const bill = makeCache("automatic", { minimumTokens: 100 });
    bill([a, b, c]);
    expect(bill([a, b, d])).toEqual({ inputTokens: 172, writeTokens: 0, readTokens: 128 });
  });

  test("reads nothing below 1,024 tokens", () => {
    const bill = makeCache("automatic", { minimumTokens: REALISTIC.minimumTokens });
    bill([a, b]);
    expect(bill([a, b]).readTokens).toBe(0);
  });
});

describe("bills", () => {
  test("a written token costs 1.25, a read one 0.1, another 1", () => {
    const usage = { inputTokens: 10, writeTokens: 100, readTokens: 1000, outputTokens: 5 };
    expect(computePromptBill(usage, RATES.breakpoints)).toBe(10 + 125 + 100);
  });

  test("a session whose prefix holds costs the ideal", () => {
    const bill = makeCache("breakpoints", {});
    const prompts = [[marked(a)], [a, marked(b)], [a, b, marked(c)]];
    const calls = prompts.map((blocks) => billedCall(blocks, bill(blocks)));
    expect(billRatio(calls, "waste")).toBe(1);
    expect(actualBill(calls)).toBe(300 * 1.25 + (100 + 200) * 0.1);
  });

  test("a rewrite is waste, unless it is called legitimate", () => {
    const bill = makeCache("breakpoints", {});
    const prompts = [
      [marked(a), marked(b)],
      [marked(a), marked(c)],
    ];
    const calls = prompts.map((blocks) => billedCall(blocks, bill(blocks)));
    expect(idealBill(calls, "waste")).toBe(200 * 1.25 + 200 * 0.1);
    expect(billRatio(calls, (call) => call === calls[1])).toBe(1);
  });

  test("a changed tool list begins a group of its own", () => {
    const tool: Block = { ...a, layer: "tools" };
    const other: Block = { ...b, layer: "tools" };
    const bill = makeCache("breakpoints", {});
    const calls = [
      [tool, marked(c)],
      [other, marked(c)],
    ].map((blocks) => billedCall(blocks, bill(blocks)));
    expect(billRatio(calls, "waste")).toBe(1);
  });

  test("another agent's prompt begins a group of its own, to which the way back returns", () => {
    const bill = makeCache("breakpoints", {});
    const prompts = [
      { preamble: "build", blocks: [marked(a)] },
      { preamble: "review", blocks: [marked(b)] },
      { preamble: "build", blocks: [a, marked(c)] },
    ];
    const calls = prompts.map(({ preamble, blocks }) => ({
      ...billedCall(blocks, bill(blocks)),
      preamble,
    }));
    expect(billRatio(calls, "waste")).toBe(1);
    expect(idealBill(calls, "waste")).toBe(300 * 1.25 + 100 * 0.1);
  });

  test("after idleness of the cache's life all is written anew, and not a moment before", () => {
    const callAt = (at: number) => ({
      ...billedCall([marked(a)], { inputTokens: 0, writeTokens: 100, readTokens: 0 }),
      at,
    });
    const idealAfter = (pauseMs: number) => idealBill([callAt(0), callAt(pauseMs)], "waste");
    expect(idealAfter(REALISTIC.ttlMs)).toBe(200 * 1.25);
    expect(idealAfter(REALISTIC.ttlMs - 1)).toBe(100 * 1.25 + 100 * 0.1);
  });

  test("what another session has paid is no credit against waste", () => {
    const read = billedCall([marked(a)], { inputTokens: 0, writeTokens: 0, readTokens: 100 });
    const wasted = billedCall([marked(b)], { inputTokens: 0, writeTokens: 100, readTokens: 0 });
    expect(actualBill([read, wasted])).toBe(idealBill([read, wasted], "waste"));
    expect(idealWithoutCredit([read, wasted], "waste")).toBe(200 * 0.1);
  });
});
