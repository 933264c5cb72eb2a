import { expect, test } from "bun:test";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { createHistoryFeature } from "../../../src/features/history/create-history.ts";
import { historyFeature } from "../../../src/features/history/feature.ts";
import { parseConfig } from "../../whole-config.ts";

const location = { directory: "/project", worktree: "/project" };
const context = {
  location,
  database: {},
  notices: {},
} as unknown as FeatureContext;
const open = (history: object) => {
  const given = { written: null, findSegment: null };
  return createHistoryFeature({ ...context, config: parseConfig({ history }) }, given);
};

test("history is on until it is turned off", () => {
  expect(historyFeature.isOn?.(parseConfig({}))).toBe(true);
  expect(historyFeature.isOn?.(parseConfig({ history: { rewrite: "off" } }))).toBe(false);
  expect(open({ rewrite: "off" })).toEqual({ provides: { keep: null, statedTokens: null } });
});

test("where it is on it has one policy of the session, and takes what asks for a fold", () => {
  for (const rewrite of ["worth", "pressure"]) {
    expect(historyFeature.isOn?.(parseConfig({ history: { rewrite } }))).toBe(true);
    const { policies, proposals } = open({ rewrite });
    expect(policies?.map(({ name, scope }) => `${name} ${scope}`)).toEqual(["history session"]);
    expect([...(proposals?.keys() ?? [])]).toEqual(["fold-now", "keep"]);
  }
});

test("tokens are a number within bounds, or learnt", () => {
  expect(() => parseConfig({ history: { keepTokens: 100 } })).toThrow();
  expect(() => parseConfig({ history: { budgetTokens: "much" } })).toThrow();
  expect(parseConfig({ history: { keepTokens: 4_000 } })).toMatchObject({
    history: { keepTokens: 4_000, budgetTokens: "auto" },
  });
});
