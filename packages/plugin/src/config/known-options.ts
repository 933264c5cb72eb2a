// The options that each provider package is known to accept, with their types.

/** Names the type that a value must have, as far as it is checked. */
export type Kind = "text" | "number" | "flag" | "list" | "object" | "any";

type KnownOptions = Readonly<Record<string, Kind>>;

const anthropic: KnownOptions = {
  anthropicBeta: "list",
  cacheControl: "object",
  container: "object",
  contextManagement: "object",
  disableParallelToolUse: "flag",
  effort: "text",
  fallbacks: "any",
  inferenceGeo: "text",
  mcpServers: "list",
  metadata: "object",
  sendReasoning: "flag",
  speed: "text",
  structuredOutputMode: "text",
  taskBudget: "object",
  thinking: "object",
  toolStreaming: "flag",
};

const openai: KnownOptions = {
  conversation: "text",
  forceReasoning: "flag",
  include: "list",
  instructions: "text",
  logitBias: "object",
  logprobs: "any",
  maxCompletionTokens: "number",
  maxToolCalls: "number",
  metadata: "object",
  parallelToolCalls: "flag",
  prediction: "object",
  previousResponseId: "text",
  promptCacheKey: "text",
  promptCacheRetention: "text",
  reasoningEffort: "text",
  reasoningSummary: "text",
  safetyIdentifier: "text",
  serviceTier: "text",
  store: "flag",
  strictJsonSchema: "flag",
  systemMessageMode: "text",
  textVerbosity: "text",
  truncation: "text",
  user: "text",
};

const google: KnownOptions = {
  audioTimestamp: "flag",
  cachedContent: "text",
  imageConfig: "object",
  labels: "object",
  mediaResolution: "text",
  responseModalities: "list",
  retrievalConfig: "object",
  safetySettings: "list",
  serviceTier: "text",
  structuredOutputs: "flag",
  thinkingConfig: "object",
  threshold: "text",
};

const bedrock: KnownOptions = {
  ...anthropic,
  additionalModelRequestFields: "object",
  guardrailConfig: "object",
  reasoningConfig: "object",
  serviceTier: "text",
};

const byPackage: Readonly<Record<string, KnownOptions>> = {
  "@ai-sdk/anthropic": anthropic,
  "@ai-sdk/google-vertex/anthropic": anthropic,
  "@ai-sdk/openai": openai,
  "@ai-sdk/azure": openai,
  "@ai-sdk/google": google,
  "@ai-sdk/google-vertex": google,
  "@ai-sdk/amazon-bedrock": bedrock,
};

const anywhere: KnownOptions = { ...google, ...openai, ...anthropic };

/** Lists packages that put every option into the request as it is, so that no name is unknown to them. */
const OPEN = new Set(["@ai-sdk/openai-compatible", "@openrouter/ai-sdk-provider"]);

/**
 * Returns the type that the provider's SDK package expects under a name; null where it knows no such option.
 */
export function kindOfOption(npm: string, name: string): Kind | null {
  const known = Object.hasOwn(byPackage, npm) ? byPackage[npm] : anywhere;
  if (known && Object.hasOwn(known, name)) return known[name] ?? null;
  return OPEN.has(npm) ? "any" : null;
}
