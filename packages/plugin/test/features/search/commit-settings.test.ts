import { expect, test } from "bun:test";
import { commitsFeature } from "../../../src/features/search/feature.ts";
import { parseConfig } from "../../whole-config.ts";

test("commits are found until that is turned off", () => {
  expect(commitsFeature.isOn?.(parseConfig({}))).toBe(true);
  expect(commitsFeature.isOn?.(parseConfig({ commits: { enabled: false } }))).toBe(false);
});

test("the limit of commits is a whole number from 1 to ten million", () => {
  const limited = (maxIndexed: number) => parseConfig({ commits: { maxIndexed } });
  expect([1, 10_000_000].map(limited)).toMatchObject([
    ...[{ commits: { maxIndexed: 1 } }, { commits: { maxIndexed: 10_000_000 } }],
  ]);
  for (const value of [0, 10_000_001, 1.5]) expect(() => limited(value)).toThrow();
});
