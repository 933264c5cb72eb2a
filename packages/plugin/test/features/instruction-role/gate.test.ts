import { expect, test } from "bun:test";
import type { CallTarget } from "../../../src/feature-api/feature-hooks.ts";
import { resolveNativeFamily } from "../../../src/features/instruction-role/plan.ts";

const opus: CallTarget = {
  providerId: "anthropic",
  apiId: "claude-opus-5",
  npm: "@ai-sdk/anthropic",
  baseUrl: null,
  fetch: "host",
};

test.each([
  ["claude-opus-4-8", true],
  ["claude-opus-4-8-20260528", true],
  ["claude-opus-4.9", true],
  ["claude-opus-5", true],
  ["claude-sonnet-5-1", true],
  ["claude-haiku-5", true],
  ["claude-opus-4-10", true],
  ["claude-opus-10", true],
  ["claude-opus-5@20270101", true],
  ["claude-opus-5:beta", true],
  ["claude-opus-5x", false],
  ["my-claude-opus-5", false],
  ["claude-opus-4", false],
  ["claude-opus-3-9", false],
  ["claude-opus-4-100", false],
  ["claude-fable-5-1", true],
  ["claude-mythos-5", true],
  ["claude-opus-4-7", false],
  ["claude-opus-4-20250514", false],
  ["claude-sonnet-4-8", false],
  ["claude-3-7-sonnet-latest", false],
  ["claude-unheard-5", false],
  ["us.anthropic.claude-opus-5", false],
  ["glm-5", false],
])("M6: gated by model: %s", (apiId, takes) => {
  expect(resolveNativeFamily("native", { ...opus, apiId })).toBe(takes ? "anthropic" : null);
});

test("M6: a login that brings its own fetch is never touched", () => {
  expect(resolveNativeFamily("native", { ...opus, fetch: "own" })).toBeNull();
});

test.each([
  ["@ai-sdk/openai", "gpt-5", "openai"],
  ["@ai-sdk/openai", "o1-mini", null],
  ["@ai-sdk/openai", "o1-preview-2024", null],
  ["@ai-sdk/openai", "o1", "openai"],
  ["@ai-sdk/openai", "my-o1-mini", "openai"],
  ["@ai-sdk/openai-compatible", "anything", "openai"],
  ["@ai-sdk/google", "gemini-3", null],
  ["@ai-sdk/google-vertex/anthropic", "claude-opus-5", null],
  ["@ai-sdk/amazon-bedrock", "claude-opus-5", null],
  ["@openrouter/ai-sdk-provider", "claude-opus-5", null],
  ["@ai-sdk/azure", "gpt-5", null],
])("M6: gated by provider: %s %s", (npm, apiId, family) => {
  const to = { ...opus, npm, apiId, providerId: "some" };
  expect(resolveNativeFamily("native", to)).toBe(family as ReturnType<typeof resolveNativeFamily>);
});

test("M6: auto keeps to the providers' own addresses", () => {
  const auto = (to: Partial<CallTarget>) => resolveNativeFamily("auto", { ...opus, ...to });
  expect(auto({})).toBe("anthropic");
  expect(auto({ baseUrl: "https://api.anthropic.com/v1" })).toBe("anthropic");
  expect(auto({ baseUrl: "https://proxy.example/v1" })).toBeNull();
  expect(auto({ baseUrl: "no url" })).toBeNull();
  expect(auto({ baseUrl: "" })).toBe("anthropic");
  expect(auto({ baseUrl: "", providerId: "mine" })).toBeNull();
  expect(auto({ baseUrl: "https://api.openai.com/v1" })).toBeNull();
  expect(auto({ providerId: "mine" })).toBeNull();
  const openai = { npm: "@ai-sdk/openai", apiId: "gpt-5", providerId: "openai" };
  expect(auto({ ...openai, baseUrl: "https://api.openai.com/v1" })).toBe("openai");
  expect(auto({ ...openai, npm: "@ai-sdk/openai-compatible" })).toBeNull();
});

test("wrapped lowers nothing", () => {
  expect(resolveNativeFamily("wrapped", opus)).toBeNull();
});
