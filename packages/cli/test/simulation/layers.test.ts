import { expect, test } from "bun:test";
import { measureParts } from "@session-runtime/opencode/history/measured-history";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";
import { LAYERS, LayerBill } from "../../src/simulation/layers.ts";
import { play } from "../../src/simulation/play.ts";
import { SimulatedSession } from "../../src/simulation/session.ts";
import { model, read, recorded, step } from "./recorded.ts";

const history: HistorySettings = {
  ...{ rewrite: "worth", keepTokens: 4_000, budgetTokens: "auto", wayBack: "ctx_expand" },
  ...{ directory: "/project", measure: measureParts, keep: null },
};

const long = recorded(
  ...Array.from({ length: 40 }, (_, at) => step(at, { calls: [read(at, 8_000)] })),
  step(40, { needs: [3, 39] }),
);

function billed(session: typeof long, settings: HistorySettings | null, of = model) {
  const bill = new LayerBill(session, of);
  const played = play(session, of, settings, bill.watch);
  return { bill, played };
}

test("the layers of a bill are the whole of it", () => {
  const { bill, played } = billed(long, history);
  const spent = LAYERS.map((layer) => bill.of(layer));
  const sum = spent.reduce(
    (all, { readCost: read, writeCost: written, rewriteCost: again }) =>
      all + read + written + again,
    0,
  );
  expect(sum / played.bill).toBeCloseTo(1, 9);
  expect(played.rewrites.length).toBeGreaterThan(0);
  expect(bill.of("folded record").writeCost).toBeGreaterThan(0);
});

test("a result counts as used again up to the last step that uses it", () => {
  const used = recorded(
    step(0, { calls: [read(0, 4_000)] }),
    step(1, { chars: 200, calls: [read(1, 4_000)], needs: [0] }),
    step(2),
  );
  const { bill } = billed(used, null);
  const [again, not] = [bill.of("results used again"), bill.of("results not used again")];
  expect(again.writeCost).toBeGreaterThan(1_200);
  expect(again.readCost).toBe(0);
  // The first, read by the third call; the second, written by it.
  expect(not.readCost).toBeCloseTo(again.writeCost * (model.rates.read / model.rates.write), 5);
  expect(not.writeCost).toBeGreaterThan(1_200);
});

test("what was said, and what was called, each has its layer", () => {
  const spoken = recorded(step(0, { chars: 4_000, calls: [read(0, 40)] }), step(1));
  const { bill } = billed(spoken, null);
  const write = model.rates.write;
  // The prompt of 100 characters, and an answer of 4,000, each with its frame.
  expect(bill.of("words").writeCost / write).toBeWithin(1_025, 1_055);
  expect(bill.of("arguments").writeCost / write).toBeWithin(15, 60);
  // A result that no step uses, billed by the second call.
  expect(bill.of("results used again").writeCost).toBe(0);
  expect(bill.of("results not used again").writeCost).toBeGreaterThan(0);
});

test("a stub is no result any more, neither one used again nor another", () => {
  const files = Array.from({ length: 30 }, (_, at) =>
    step(at, { calls: [{ ...read(at, 12_000), target: at % 3 }] }),
  );
  // So roomy that asking again counts in full: what repeats goes, and nothing is folded.
  const roomy = { ...model, windowTokens: 1_000_000, usableTokens: 996_000 };
  const { bill, played } = billed(recorded(...files), history, roomy);
  const drops = played.rewrites.reduce((sum, rewrite) => sum + rewrite.drops, 0);
  const { writeCost } = bill.of("stubs");
  expect(drops).toBeGreaterThan(5);
  // A stub takes some twenty to a hundred tokens.
  expect(writeCost / drops).toBeGreaterThan(20);
  expect(writeCost / drops).toBeLessThan(125);
  expect(bill.of("folded record")).toEqual({ readCost: 0, writeCost: 0, rewriteCost: 0 });
});

test("before the first call there is nothing to bill", () => {
  const bill = new LayerBill(long, model);
  bill.watch(new SimulatedSession(model, null), { step: 0 });
  expect(LAYERS.map((layer) => bill.of(layer).writeCost)).toEqual(LAYERS.map(() => 0));
});

test("what is written once more after the cache has died is counted apart", () => {
  const paused = (s: number) =>
    billed(recorded(step(0, { calls: [read(0, 4_000)] }), step(s)), null).bill;
  expect(paused(10).of("tools and system").rewriteCost).toBe(0);
  expect(paused(400).of("tools and system").rewriteCost).toBeCloseTo(1.25 * model.frontTokens);
});

test("a rewrite is billed for what it writes of what was sent before, not for what has come since", () => {
  const { bill, played } = billed(long, history);
  const { write } = model.rates;
  const warm = played.rewrites.filter(({ boundary }) => boundary !== "idle");
  expect(warm.length).toBeGreaterThan(0);
  const again = bill.of("folded record").writeCost + bill.of("stubs").writeCost;
  expect(bill.rewritten).toBeGreaterThan(0);
  // A step's new result has some 2,000 tokens.
  expect(bill.rewritten).toBeGreaterThanOrEqual(again * 0.5);
  expect(bill.rewritten / write / warm.length).toBeLessThan(model.windowTokens / 4);
  expect(billed(long, null).bill.rewritten).toBe(0);
});
