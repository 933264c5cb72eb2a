import { expect, test } from "bun:test";
import { hasCacheBreakpoints } from "../../src/session/session-sources.ts";

const plain = { providerId: "x", modelId: "gpt", apiId: "gpt", npm: "@ai-sdk/openai" };

test.each([
  ["by the model's id", { modelId: "claude-x" }],
  ["by the provider's id of the model", { apiId: "us.anthropic.x" }],
  ["of Anthropic", { providerId: "anthropic" }],
  ["of Anthropic over Vertex", { providerId: "google-vertex-anthropic" }],
  ["by Anthropic's package", { npm: "@ai-sdk/anthropic" }],
  ["by Alibaba's package", { npm: "@ai-sdk/alibaba" }],
])("the host marks breakpoints for a model %s, as its own condition says", (_what, change) => {
  expect(hasCacheBreakpoints({ ...plain, ...change })).toBe(true);
  expect(hasCacheBreakpoints({ ...plain, ...change, npm: "@ai-sdk/gateway" })).toBe(false);
});

test("the host marks none for any other model", () => {
  expect(hasCacheBreakpoints(plain)).toBe(false);
});
