import { expect, test } from "bun:test";
import { smallModelOf } from "../../src/jobs/small-model.ts";

const haiku = (id: string, released: string) => ({
  id,
  family: "claude-haiku",
  release_date: released,
});
const nano = { id: "nano", family: "gpt-nano", release_date: "2025-08-07" };
const mini = { id: "mini", family: "gpt-mini", release_date: "2025-08-07" };

test("the small model is the host's: the newest of the first family that the provider has", () => {
  const old = haiku("haiku-3", "2024-03-01");
  const dated = haiku("haiku-4-5-20251001", "2025-10-15");
  const latest = haiku("haiku-4-5", "2025-10-15");
  for (const listed of [
    [old, latest, dated],
    [dated, latest, old],
  ]) {
    expect(smallModelOf("anthropic", listed)).toBe("haiku-4-5-20251001");
  }
  expect(smallModelOf("router", [dated, nano])).toBe("nano");
  expect(smallModelOf("anthropic", [{ id: "opus" }, mini])).toBeNull();
  expect(
    smallModelOf("anthropic", [
      { id: "b", family: "gpt-nano" },
      { ...nano, id: "a" },
    ]),
  ).toBe("a");
});

test("two providers have their own order", () => {
  expect(smallModelOf("opencode", [haiku("haiku", "2025-10-15")])).toBeNull();
  expect(smallModelOf("opencode-go", [nano])).toBe("nano");
  for (const provider of ["github-copilot", "github-copilot-enterprise"]) {
    expect(smallModelOf(provider, [nano, mini])).toBe("mini");
  }
});
