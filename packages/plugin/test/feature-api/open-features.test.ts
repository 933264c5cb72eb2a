import { expect, test } from "bun:test";
import type { FeatureInstance } from "../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../src/feature-api/feature-context.ts";
import {
  memoizeByFeatures,
  type OpenFeature,
  openFeatures,
} from "../../src/feature-api/open-features.ts";

test("I15: a feature that can't be opened stays shut, is reported, and costs no other one", async () => {
  const failures: unknown[] = [];
  const failed = (where: string, error: unknown) => void failures.push([where, error]);
  const context = { failures: { failed } } as Partial<FeatureContext> as FeatureContext;
  const first: FeatureInstance = { policies: [] };
  const last: FeatureInstance = { tools: [] };
  const error = new Error("a file is missing");
  const featureInstances = await openFeatures(
    [
      { name: "first", open: async () => first },
      { name: "broken", open: () => Promise.reject(error) },
      { name: "last", open: async () => last },
    ],
    context,
  );
  expect(featureInstances).toEqual([
    { feature: "first", ...first },
    { feature: "last", ...last },
  ]);
  expect(failures).toEqual([["feature broken", error]]);
});

test("what is made of all open features is made once, and again when more are open", () => {
  const featureInstances: OpenFeature[] = [];
  const names = memoizeByFeatures(featureInstances, () =>
    featureInstances.map(({ feature }) => feature),
  );
  expect(names()).toEqual([]);
  featureInstances.push({ feature: "first" }, { feature: "last" });
  expect(names()).toEqual(["first", "last"]);
  expect(names()).toBe(names());
});
