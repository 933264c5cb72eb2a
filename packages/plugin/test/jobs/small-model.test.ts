import { expect, test } from "bun:test";
import {
  findSmallModel,
  findSmallModelByName,
  parseModelName,
} from "../../src/jobs/small-model.ts";

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
    expect(findSmallModel("anthropic", listed)).toBe("anthropic/haiku-4-5-20251001");
  }
  expect(findSmallModel("router", [dated, nano])).toBe("router/nano");
  expect(findSmallModel("anthropic", [{ id: "opus" }, mini])).toBeNull();
  expect(
    findSmallModel("anthropic", [
      { id: "b", family: "gpt-nano" },
      { ...nano, id: "a" },
    ]),
  ).toBe("anthropic/a");
});

test("two providers have their own order", () => {
  expect(findSmallModel("opencode", [haiku("haiku", "2025-10-15")])).toBeNull();
  expect(findSmallModel("opencode-go", [nano])).toBe("opencode-go/nano");
  for (const provider of ["github-copilot", "github-copilot-enterprise"]) {
    expect(findSmallModel(provider, [nano, mini])).toBe(`${provider}/mini`);
  }
});

test("where no families are known, it is the cheapest whose name says that it is small", () => {
  const models = [
    { id: "opus", inputUsd: 0.1 },
    { id: "claude-Haiku", inputUsd: 1 },
    { id: "gpt-nano", inputUsd: 0.5 },
    { id: "o4-mini", inputUsd: 2 },
    { id: "gemini-flash", inputUsd: 3 },
  ];
  const without = (gone: string) => models.filter(({ id }) => id !== gone);
  expect(findSmallModelByName("router", models)).toBe("router/gpt-nano");
  expect(findSmallModelByName("router", without("gpt-nano"))).toBe("router/claude-Haiku");
  expect(findSmallModelByName("router", models.slice(3))).toBe("router/o4-mini");
  expect(findSmallModelByName("router", models.slice(4))).toBe("router/gemini-flash");
  expect(findSmallModelByName("router", models.slice(0, 1))).toBeNull();
});

test("a model is named by its provider first; its own name may hold slashes", () => {
  expect(parseModelName("router/meta/llama")).toEqual({
    providerId: "router",
    modelId: "meta/llama",
  });
  expect(parseModelName("")).toEqual({ providerId: "", modelId: "" });
});
