import { expect, test } from "bun:test";
import { ProviderCache } from "../../src/simulation/provider-cache.ts";
import type { WireBlock } from "../../src/simulation/wire.ts";

const block = (key: string): WireBlock => ({ key, says: "text", partId: key, tokens: 10 });
const message = (...keys: readonly string[]) => keys.map(block);
const cache = (lookBackBlocks: number | null) => {
  const rates = { lookBackBlocks, read: 0.1, write: 1.25 };
  return new ProviderCache(100, { ttlMs: 1_000, rates });
};
const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => message(key));
if (!a || !b || !c || !d) throw new Error("There are four.");

test("a first call is written, and a later one reads as far as it begins alike", () => {
  const provider = cache(20);
  expect(provider.bill([a], 0)).toEqual({ tokens: 110, readTokens: 0, bill: 110 * 1.25 });
  expect(provider.bill([a, b], 500)).toEqual({
    tokens: 120,
    readTokens: 110,
    bill: 110 * 0.1 + 10 * 1.25,
  });
  // Other words after the first: the same place with others before it is another prefix.
  expect(provider.bill([b, a], 600).readTokens).toBe(100);
  expect(provider.bill([a, b, c], 700).readTokens).toBe(120);
});

test("a call that is sent once more, as it was, reads all of it", () => {
  const provider = cache(20);
  provider.bill([a, b, c], 0);
  expect(provider.bill([a, b, c], 1)).toEqual({ tokens: 130, readTokens: 130, bill: 130 * 0.1 });
});

test("messages that are added to the very list that was sent are new", () => {
  const provider = cache(20);
  const sent = [a];
  provider.bill(sent, 0);
  sent.push(b, c);
  expect(provider.bill(sent, 1)).toEqual({
    tokens: 130,
    readTokens: 110,
    bill: 110 * 0.1 + 20 * 1.25,
  });
  // Longer than the one before it, and then shorter.
  expect(provider.bill([a, b], 2)).toEqual({ tokens: 120, readTokens: 120, bill: 120 * 0.1 });
});

test("a call is as long as all its blocks, however many of its messages were sent before", () => {
  const provider = cache(20);
  const sent = [message("one", "two", "three"), message("four", "five")];
  expect(provider.bill(sent.slice(0, 1), 0).tokens).toBe(130);
  expect(provider.bill(sent, 1)).toMatchObject({ tokens: 150, readTokens: 130 });
  expect(provider.bill([...sent, a], 2)).toMatchObject({ tokens: 160, readTokens: 150 });
});

test("a call without a message is its front", () => {
  const provider = cache(20);
  expect(provider.bill([], 0)).toEqual({ tokens: 100, readTokens: 0, bill: 100 * 1.25 });
  expect(provider.bill([], 1)).toEqual({ tokens: 100, readTokens: 100, bill: 100 * 0.1 });
});

test("what is not read for its time is gone, the front too; each use begins it again", () => {
  const provider = cache(20);
  provider.bill([a], 0);
  expect(provider.bill([a], 999).readTokens).toBe(110);
  expect(provider.bill([a], 1_998).readTokens).toBe(110);
  expect(provider.bill([a], 2_998).readTokens).toBe(0);
});

test("a breakpoint finds only what lies within its reach, and breakpoints stand at the two newest messages", () => {
  const many = Array.from({ length: 6 }, (_, at) => `more-${at}`);
  const near = cache(20);
  near.bill([a], 0);
  expect(near.bill([a, message(...many)], 1).readTokens).toBe(110);
  const far = cache(3);
  far.bill([a], 0);
  // From the second newest message it is near, from the newest one too far.
  expect(far.bill([a, message(...many)], 1).readTokens).toBe(110);
  expect(far.bill([a, message(...many), message("last")], 2).readTokens).toBe(170);
  for (const [blocks, read] of [
    [2, 110],
    [3, 100],
  ] as const) {
    const edge = cache(3);
    edge.bill([a], 0);
    const later = [a, message(...many.slice(0, blocks)), message("last")];
    expect(edge.bill(later, 1).readTokens).toBe(read);
  }
});

test("without breakpoints every prefix is kept, and with them only the marked ones", () => {
  for (const [reach, read] of [
    [null, 110],
    [20, 100],
  ] as const) {
    const provider = cache(reach);
    provider.bill([a, b, c], 0);
    expect(provider.bill([a, d], 1).readTokens).toBe(read);
  }
});
