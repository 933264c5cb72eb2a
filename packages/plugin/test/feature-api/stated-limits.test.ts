import { expect, test } from "bun:test";
import { type FindStatedTokens, STATED_LIMITS } from "../../src/feature-api/extension-points.ts";
import { ExtensionRegistry } from "../../src/feature-api/open-features.ts";
import { createLimitLookup } from "../../src/feature-api/withheld-tools.ts";

test("the limit is the first that a feature knows; a feature that can't read it is reported, and costs no call", () => {
  const reported: string[] = [];
  const failures = {
    failed: (where: string) => void reported.push(where),
    worked: () => undefined,
    storageWorks: () => undefined,
  };
  const broken = () => {
    throw new TypeError("a database that can't be read");
  };
  const points = { limit: STATED_LIMITS };
  const sure: FindStatedTokens = (_, model) => (model === "opus" ? 5 : null);
  const provided = new ExtensionRegistry([
    { feature: "silent" },
    { feature: "off", points, provides: { limit: null } },
    { feature: "broken", points, provides: { limit: broken } },
    { feature: "unsure", points, provides: { limit: () => null } },
    { feature: "sure", points, provides: { limit: sure } },
  ]);
  expect(createLimitLookup(provided, failures)("anthropic", "opus")).toBe(5);
  expect(createLimitLookup(provided, failures)("anthropic", "sonnet")).toBeNull();
  expect(reported).toEqual(["broken.statedTokens", "broken.statedTokens"]);
});
