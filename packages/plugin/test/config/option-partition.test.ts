import { describe, expect, test } from "bun:test";
import { ModelOptions, partitionSettings } from "../../src/config/model-options.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../processor-time.ts";

const ANTHROPIC = "@ai-sdk/anthropic";
const OPENAI = "@ai-sdk/openai";

describe("settings are told apart in one place", () => {
  test("generation controls and the provider's own options", () => {
    const thinking = { type: "enabled", budgetTokens: 1024 };
    const settings = { temperature: 0.2, topP: 0.9, topK: 40, maxOutputTokens: 8000, thinking };
    expect(partitionSettings(settings, ANTHROPIC)).toEqual({
      generation: { temperature: 0.2, topP: 0.9, topK: 40, maxOutputTokens: 8000 },
      options: { thinking },
      faults: [],
    });
  });

  test("M1: what the provider is not known to take is passed on, and named", () => {
    const settings = { reasoningEffort: "high", resoningEffort: "high" };
    const told = partitionSettings(settings, OPENAI);
    expect(told.options).toEqual(settings);
    expect(told.faults).toEqual([{ kind: "unknown", name: "resoningEffort" }]);
    expect(partitionSettings({ reasoningEffort: "high" }, ANTHROPIC).faults).toEqual([
      { kind: "unknown", name: "reasoningEffort" },
    ]);
  });

  test("a package that takes any option knows no unknown ones; one that we don't know takes all known", () => {
    const settings = { chat_template_kwargs: { enable_thinking: true } };
    expect(partitionSettings(settings, "@ai-sdk/openai-compatible").faults).toEqual([]);
    expect(
      partitionSettings({ reasoningEffort: "low", thinking: {} }, "of-a-stranger").faults,
    ).toEqual([]);
    expect(partitionSettings({ odd: 1 }, "of-a-stranger").faults).toEqual([
      { kind: "unknown", name: "odd" },
    ]);
  });

  test.each([
    ["temperature", "hot", "a number from 0 to 2"],
    ["temperature", 3, "a number from 0 to 2"],
    ["topP", -1, "a number from 0 to 1"],
    ["topK", 1.5, "a whole number above 0"],
    ["maxOutputTokens", null, "a whole number above 0"],
    ["thinking", 5, "an object"],
    ["thinking", [], "an object"],
    ["disableParallelToolUse", "yes", "true or false"],
    ["effort", 1, "a text"],
    ["mcpServers", {}, "a list"],
  ])("%s set to %j is left out, and what it must be is said", (name, value, expected) => {
    expect(partitionSettings({ [name]: value, speed: "fast" }, ANTHROPIC)).toEqual({
      generation: {},
      options: { speed: "fast" },
      faults: [{ kind: "unfit", name, expected }],
    });
  });

  test("names like __proto__ are names", () => {
    const told = partitionSettings(
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
      ANTHROPIC,
    );
    expect(Object.keys(told.options)).toEqual(["__proto__", "constructor"]);
    expect(Reflect.get(told.options, "x")).toBeUndefined();
  });
});

describe("settings of a model", () => {
  const of = (input: ConstructorParameters<typeof ModelOptions>[0], name: string) => {
    const [providerId = "", ...rest] = name.split("/");
    const model = { providerId, modelId: rest.join("/"), npm: OPENAI, takesTemperature: true };
    return new ModelOptions(input).resolvePartition(model);
  };
  const generation = {
    "*/*": { temperature: 0.1, topP: 0.1, topK: 1 },
    "openai/*": { temperature: 0.2, topP: 0.2 },
    "openai/gpt-5*": { temperature: 0.3 },
    "openrouter/*/claude-*-latest": { temperature: 0.4 },
  };

  test.each([
    ["openai/gpt-5-mini", { temperature: 0.3, topP: 0.2, topK: 1 }],
    ["openai/gpt-5", { temperature: 0.3, topP: 0.2, topK: 1 }],
    ["openai/o3", { temperature: 0.2, topP: 0.2, topK: 1 }],
    ["xai/grok", { temperature: 0.1, topP: 0.1, topK: 1 }],
    ["openrouter/anthropic/claude-x-latest", { temperature: 0.4, topP: 0.1, topK: 1 }],
    ["openrouter/anthropic/claude-latest", { temperature: 0.1, topP: 0.1, topK: 1 }],
  ])("%s: of the patterns that match the more particular wins, name by name", (name, expected) => {
    expect(of({ generation, requestOptions: {} }, name).generation).toEqual(expected);
  });

  test("a name without a star goes before every pattern", () => {
    const tables = { "a/b": { topK: 1 }, "a/b*": { topK: 2 }, "a/b********": { topK: 3 } };
    expect(of({ generation: tables, requestOptions: {} }, "a/b").generation.topK).toBe(1);
  });

  test("generation wins over a control among the request options; an option among the controls is one", () => {
    const requestOptions = { "openai/*": { temperature: 0.9, topP: 0.5, user: "ada" } };
    const own = { "openai/*": { temperature: 0.1, serviceTier: "flex" } };
    expect(of({ generation: own, requestOptions }, "openai/x")).toEqual({
      generation: { temperature: 0.1, topP: 0.5 },
      options: { user: "ada", serviceTier: "flex" },
      faults: [],
    });
  });

  test("a temperature for a model that takes none is passed on, and is a fault; without one there is none", () => {
    const tables = {
      generation: { "openai/gpt-5*": { temperature: 0.3 }, "openai/*": { topP: 0.2 } },
      requestOptions: {},
    };
    const model = { providerId: "openai", npm: OPENAI, takesTemperature: false };
    const options = new ModelOptions(tables);
    expect(options.resolvePartition({ ...model, modelId: "gpt-5" })).toMatchObject({
      generation: { temperature: 0.3, topP: 0.2 },
      faults: [{ kind: "untaken", name: "temperature" }],
    });
    expect(options.resolvePartition({ ...model, modelId: "o3" }).faults).toEqual([]);
    expect(
      options.resolvePartition({ ...model, modelId: "gpt-5", takesTemperature: true }).faults,
    ).toEqual([]);
  });

  test("a pattern of many stars is matched in linear time", async () => {
    const match = (stars: number) => () => {
      const pattern = `a/${"*x".repeat(stars)}`;
      const input = { generation: { [pattern]: { topK: 1 } }, requestOptions: {} };
      expect(of(input, `a/${"x".repeat(stars - 1)}`).generation).toEqual({});
    };
    expect(await timesAsLong(match(80_000), match(20_000))).toBeLessThan(MOST_FOR_FOURFOLD);
  });
});
