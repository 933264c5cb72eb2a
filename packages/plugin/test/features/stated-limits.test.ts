import { expect, test } from "bun:test";
import { roomLimits } from "../../src/features/stated-limits.ts";

test("the limit is the first that a room knows; a room that can't read it is reported, and costs no call", () => {
  const reported: string[] = [];
  const failures = {
    failed: (where: string) => void reported.push(where),
    worked: () => undefined,
    storageWorks: () => undefined,
  };
  const broken = () => {
    throw new TypeError("a database that can't be read");
  };
  const rooms = [
    { feature: "silent" },
    { feature: "broken", statedTokens: broken },
    { feature: "unsure", statedTokens: () => null },
    { feature: "sure", statedTokens: (_: string, model: string) => (model === "opus" ? 5 : null) },
  ];
  expect(roomLimits(rooms, failures)("anthropic", "opus")).toBe(5);
  expect(roomLimits(rooms, failures)("anthropic", "sonnet")).toBeNull();
  expect(reported).toEqual(["broken.statedTokens", "broken.statedTokens"]);
});
