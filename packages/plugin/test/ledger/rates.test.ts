import { expect, test } from "bun:test";
import { toRates, usualRates } from "../../src/ledger/space.ts";

const dear = { input: 5, cacheRead: 0.5, cacheWrite: 6.25 };

test("rates are shares of the price of an input token", () => {
  expect(toRates({ ...dear, caching: "breakpoints" })).toEqual({
    ...{ read: 0.1, write: 1.25, lookBackBlocks: 20 },
  });
  const cheap = { input: 2, cacheRead: 0.5, cacheWrite: 2, caching: "automatic" } as const;
  expect(toRates(cheap)).toEqual({ read: 0.25, write: 1, lookBackBlocks: null });
});

test("what a record leaves open is taken as usual; where caches fill by themselves, a write is an input", () => {
  const unknown = { input: 0, cacheRead: 0, cacheWrite: 0 };
  expect(toRates({ ...unknown, caching: "breakpoints" })).toEqual({
    ...{ read: 0.1, write: 1.25, lookBackBlocks: 20 },
  });
  expect(toRates({ ...unknown, caching: "automatic" })).toEqual({
    ...{ read: 0.1, write: 1, lookBackBlocks: null },
  });
  expect(toRates({ ...unknown, input: 3, cacheRead: 0.3, caching: "automatic" }).read).toBe(
    0.3 / 3,
  );
  expect(toRates({ input: 3, cacheRead: 0, cacheWrite: 0, caching: "breakpoints" })).toMatchObject({
    ...{ read: 0.1, write: 1.25 },
  });
  expect(toRates({ input: 0, cacheRead: 1, cacheWrite: 1, caching: "breakpoints" })).toMatchObject({
    ...{ read: 0.1, write: 1.25 },
  });
  expect(usualRates).toEqual({ read: 0.1, write: 1.25, lookBackBlocks: null });
});
