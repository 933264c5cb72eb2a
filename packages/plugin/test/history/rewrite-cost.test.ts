import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { listOffers, type PieceCost, pickBestOffer } from "../../src/history/rewrite-cost.ts";
import type { CacheRates } from "../../src/ledger/space.ts";

const nothingAhead = { aheadTokens: 0, aheadBlocks: 0 };
/** Sent, and it stays. */
const old: PieceCost = {
  tokens: 100,
  blocks: 2,
  saves: 0,
  calls: 0,
  sent: "sent",
  ...nothingAhead,
};
const rates: CacheRates = { read: 0.1, write: 1.25, lookBackBlocks: null };

const step: fc.Arbitrary<PieceCost> = fc
  .record({
    tokens: fc.integer({ min: 1, max: 5_000 }),
    blocks: fc.integer({ min: 0, max: 4 }),
    share: fc.constantFrom(0, 0, 0.5, 0.95),
    calls: fc.integer({ min: 0, max: 60 }),
    sent: fc.constantFrom<PieceCost["sent"]>("sent", "sent", "sent", "new"),
  })
  .map(({ share, ...rest }) => ({
    ...rest,
    saves: Math.floor(rest.tokens * share),
    ...nothingAhead,
  }));
const steps = fc.array(step, { maxLength: 30 });
const anyRates: fc.Arbitrary<CacheRates> = fc.record({
  read: fc.constantFrom(0.1, 0.25),
  write: fc.constantFrom(1, 1.25),
  lookBackBlocks: fc.constantFrom(null, 20),
});

describe("I22: rent or buy", () => {
  test("nothing is rewritten without its rent, as anybody would count both", () => {
    fc.assert(
      fc.property(steps, anyRates, (some, at) => {
        const best = pickBestOffer(listOffers(some, at));
        if (best === null) return;
        const going = some.slice(best.from);
        const paid = going.reduce((sum, one) => sum + at.read * one.saves * one.calls, 0);
        const next = going.reduce((sum, one) => sum + at.read * one.saves, 0);
        const rent = Math.max(paid, next);
        const stays = going
          .filter(({ sent }) => sent === "sent")
          .reduce((sum, one) => sum + one.tokens - one.saves, 0);
        expect(best.rent).toBeCloseTo(rent, 6);
        expect(best.price).toBeGreaterThanOrEqual((at.write - at.read) * stays - 1e-6);
        expect(rent).toBeGreaterThanOrEqual(best.price - 1e-6);
      }),
    );
  });

  test("what costs no more than the call about to be made would pay for it goes at once", () => {
    const gone: PieceCost = {
      tokens: 10_000,
      blocks: 2,
      saves: 9_960,
      calls: 0,
      sent: "sent",
      ...nothingAhead,
    };
    const after = (tokens: number): PieceCost => ({ ...gone, tokens, saves: 0 });
    expect(pickBestOffer(listOffers([gone, after(800)], rates))?.from).toBe(0);
    expect(pickBestOffer(listOffers([gone, after(900)], rates))).toBeNull();
  });

  test("of all places that have paid, the one with the most beyond its price", () => {
    fc.assert(
      fc.property(steps, anyRates, (some, at) => {
        const made = listOffers(some, at);
        const paid = made.filter(({ rent, price }) => rent >= price);
        const most = Math.max(...paid.map(({ rent, price }) => rent - price));
        const best = pickBestOffer(made);
        if (best === null) expect(paid).toEqual([]);
        else expect(best.rent - best.price).toBe(most);
      }),
    );
  });

  test("a place too far back for the provider's look-back costs all messages", () => {
    const gone: PieceCost = { ...old, saves: 90, calls: 1_000 };
    const tail = Array.from({ length: 4 }, () => old);
    const near = listOffers([old, gone, ...tail], { ...rates, lookBackBlocks: 20 });
    expect(near.find(({ from }) => from === 1)?.price).toBeCloseTo(1.15 * 410);
    const far = listOffers([old, gone, ...tail], { ...rates, lookBackBlocks: 8 });
    expect(far.find(({ from }) => from === 1)?.price).toBeCloseTo(1.15 * 510);
  });

  test("a cache with breakpoints writes a changed message again from its first word, others from the change", () => {
    const gone: PieceCost = { ...old, saves: 90, calls: 1_000, aheadTokens: 300, aheadBlocks: 6 };
    const offerPrice = (lookBackBlocks: number | null) =>
      listOffers([old, gone, old], { ...rates, lookBackBlocks }).find(({ from }) => from === 1)
        ?.price;
    expect(offerPrice(null)).toBeCloseTo(1.15 * 110);
    expect(offerPrice(20)).toBeCloseTo(1.15 * 410);
    // The message begins beyond the look-back.
    expect(offerPrice(11)).toBeCloseTo(1.15 * 210);
    const fresh: PieceCost = { ...gone, sent: "new" };
    const cached = { ...rates, lookBackBlocks: 20 };
    expect(listOffers([old, fresh], cached).at(0)?.price).toBe(0);
  });

  test("what no call has sent yet costs nothing more: it is written in any case", () => {
    const gone: PieceCost = {
      tokens: 100,
      blocks: 1,
      saves: 90,
      calls: 1,
      sent: "sent",
      ...nothingAhead,
    };
    const fresh: PieceCost = {
      tokens: 10_000,
      blocks: 1,
      saves: 0,
      calls: 0,
      sent: "new",
      ...nothingAhead,
    };
    expect(listOffers([gone, fresh], rates).at(-1)?.price).toBeCloseTo(1.15 * 10);
  });
});

/** Results that come with each call, and after how many further calls each may go. */
interface Trace {
  readonly sizes: readonly number[];
  readonly delays: readonly number[];
  readonly fixed: readonly number[];
}

const STUB = 20;

/** What a call pays that has these results, some of them as stubs, where all from `place` on is written. */
function payment(trace: Trace, call: number, gone: number, place: number): number {
  let paid = 0;
  for (let index = 0; index <= call; index++) {
    const tokens =
      (trace.fixed[index] ?? 0) + (gone & (1 << index) ? STUB : (trace.sizes[index] ?? 0));
    paid += tokens * (index >= Math.min(place, call) ? rates.write : rates.read);
  }
  return paid;
}

const mayGo = (trace: Trace, call: number, index: number) =>
  index < call && index + (trace.delays[index] ?? 0) < call;

/** All that may go from a place on. */
function going(trace: Trace, call: number, from: number): number {
  let mask = 0;
  for (let index = from; index < call; index++) if (mayGo(trace, call, index)) mask |= 1 << index;
  return mask;
}

/** The least that anybody could pay who knew the future, by dynamic programming over what is gone. */
function optimum(trace: Trace): number {
  let states = new Map<number, number>([[0, 0]]);
  for (let call = 0; call < trace.sizes.length; call++) {
    const next = new Map<number, number>();
    const reach = (gone: number, paid: number) => {
      if (paid < (next.get(gone) ?? Number.POSITIVE_INFINITY)) next.set(gone, paid);
    };
    for (const [gone, paid] of states) {
      reach(gone, paid + payment(trace, call, gone, call));
      for (let from = 0; from < call; from++) {
        const after = gone | going(trace, call, from);
        if (after !== gone) reach(after, paid + payment(trace, call, after, from));
      }
    }
    states = next;
  }
  return Math.min(...states.values());
}

function online(trace: Trace): number {
  let gone = 0;
  let paid = 0;
  for (let call = 0; call < trace.sizes.length; call++) {
    const made = Array.from({ length: call + 1 }, (_, index): PieceCost => {
      const isGone = (gone & (1 << index)) !== 0;
      const size = trace.sizes[index] ?? 0;
      const can = !isGone && mayGo(trace, call, index);
      return {
        tokens: (trace.fixed[index] ?? 0) + (isGone ? STUB : size),
        blocks: 1,
        saves: can ? Math.max(0, size - STUB) : 0,
        calls: can ? call - index - (trace.delays[index] ?? 0) - 1 : 0,
        sent: index < call ? "sent" : "new",
        ...nothingAhead,
      };
    });
    const best = pickBestOffer(listOffers(made, rates).filter(({ saves }) => saves > 0));
    if (best) gone |= going(trace, call, best.from);
    paid += payment(trace, call, gone, best?.from ?? call);
  }
  return paid;
}

const traces = fc.integer({ min: 2, max: 9 }).chain((length) =>
  fc.record({
    sizes: fc.array(fc.integer({ min: 20, max: 8_000 }), { minLength: length, maxLength: length }),
    delays: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: length, maxLength: length }),
    fixed: fc.array(fc.integer({ min: 1, max: 800 }), { minLength: length, maxLength: length }),
  }),
);

describe("I22: against whoever knows the future", () => {
  const sumSizes = ({ sizes, fixed }: Trace) =>
    [...sizes, ...fixed].reduce((sum, tokens) => sum + tokens, 0);

  test("the bill is at most twice the optimum and one window", () => {
    fc.assert(
      fc.property(traces, (trace) => {
        expect(online(trace)).toBeLessThanOrEqual(2 * optimum(trace) + sumSizes(trace));
      }),
      { numRuns: 60 },
    );
  });

  test("in the mean it is at most 1.3 times the optimum", () => {
    const ratios = fc.sample(traces, 60).map((trace) => online(trace) / optimum(trace));
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(1.3);
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1 - 1e-9);
  });
});
