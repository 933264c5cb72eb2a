// The models that the throwaway host knows.
import type { JsonObject } from "../json.ts";

export interface ModelRef {
  readonly providerID: string;
  readonly modelID: string;
}

/** The models that the throwaway host knows, one way into each mock provider and more. */
export const MODELS = {
  anthropic: { providerID: "anthropic", modelID: "claude-mock" },
  /** A second model of the same provider, with a cache of its own. */
  second: { providerID: "anthropic", modelID: "claude-second" },
  /** So small that a long tool result makes the host compact. */
  small: { providerID: "anthropic", modelID: "claude-small" },
  /** With the window in which long sessions are measured. */
  middle: { providerID: "anthropic", modelID: "claude-middle" },
  /** With so large a window that no session of a day fills it. */
  vast: { providerID: "anthropic", modelID: "claude-vast" },
  chat: { providerID: "chat", modelID: "gpt-chat" },
  responses: { providerID: "openai", modelID: "gpt-responses" },
  gemini: { providerID: "google", modelID: "gemini-mock" },
} as const satisfies Readonly<Record<string, ModelRef>>;

export const ROOMY_TOKENS = 200_000;
const SMALL_TOKENS = 24_000;
export const MIDDLE_TOKENS = 60_000;
export const VAST_TOKENS = 1_000_000;
const OUTPUT_TOKENS = 4_000;

/** The `provider` key of the host's config: every SDK named here is bundled in its binary. */
export function providerConfig(mockUrl: string): JsonObject {
  const options = { apiKey: "mock", baseURL: `${mockUrl}/v1` };
  return {
    anthropic: {
      npm: "@ai-sdk/anthropic",
      options,
      models: {
        [MODELS.anthropic.modelID]: model("Mock", ROOMY_TOKENS),
        [MODELS.second.modelID]: model("Second", ROOMY_TOKENS),
        [MODELS.small.modelID]: model("Small", SMALL_TOKENS),
        [MODELS.middle.modelID]: model("Middle", MIDDLE_TOKENS),
        [MODELS.vast.modelID]: model("Vast", VAST_TOKENS),
      },
    },
    chat: {
      npm: "@ai-sdk/openai-compatible",
      options,
      models: { [MODELS.chat.modelID]: model("Chat", ROOMY_TOKENS) },
    },
    openai: {
      npm: "@ai-sdk/openai",
      options,
      models: { [MODELS.responses.modelID]: model("Responses", ROOMY_TOKENS) },
    },
    google: {
      npm: "@ai-sdk/google",
      options: { ...options, baseURL: `${mockUrl}/v1beta` },
      models: { [MODELS.gemini.modelID]: model("Gemini", ROOMY_TOKENS) },
    },
  };
}

function model(name: string, contextTokens: number): JsonObject {
  return { name, tool_call: true, limit: { context: contextTokens, output: OUTPUT_TOKENS } };
}
