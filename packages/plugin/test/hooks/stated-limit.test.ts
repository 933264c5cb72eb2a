import { afterEach, expect, test } from "bun:test";
import { type FindStatedTokens, STATED_LIMITS } from "../../src/feature-api/extension-points.ts";
import type { BoundaryView } from "../../src/ledger/policy.ts";
import { PluginStage } from "./composed-plugin.ts";

const views: BoundaryView[] = [];
const stated = new Map<string, number>();
const look = {
  name: "look",
  scope: "session",
  draft: (view: BoundaryView) => {
    views.push(view);
    return [];
  },
} as const;
const statedTokens: FindStatedTokens = (provider, id) => stated.get(`${provider}/${id}`) ?? null;
const stage = new PluginStage([{ policies: [look], provides: { statedTokens } }], {
  statedTokens: STATED_LIMITS,
});
afterEach(() => stage.close());

test("I23: the boundary after a refusal is under pressure by the limit that the provider has stated", async () => {
  await stage.prompt("a long story ".repeat(2_000));
  await stage.call();
  await stage.prompt("go on");
  await stage.call();
  expect(views.at(-1)?.boundary.kind).toBe("ordinary");
  const { id, providerID } = stage.systemInput().model;
  stated.set(`${providerID}/${id}`, 8_000);
  await stage.prompt("and on");
  await stage.call();
  expect(views.at(-1)?.boundary.kind).toBe("pressure");
  expect(views.at(-1)?.space.usableTokens).toBe(4_000);
});
