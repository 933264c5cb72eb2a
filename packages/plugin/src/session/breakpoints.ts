// Predicts whether the host marks the first two system strings as cache breakpoints.

/** The properties of a model by which the host decides its cache breakpoints. */
export interface ModelIdentity {
  readonly providerId: string;
  /** The id in the host's catalog. */
  readonly modelId: string;
  /** The id that the provider knows. */
  readonly apiId: string;
  readonly npm: string;
}

/**
 * Returns true if the host marks the first two system strings as cache breakpoints. It is the host's own
 * condition (OpenCode 1.18.33, ProviderTransform.message) without the `cacheControl` option, which no hook
 * before chat.params can see.
 */
export function hasCacheBreakpoints(model: ModelIdentity): boolean {
  if (model.npm === "@ai-sdk/gateway") return false;
  const named = [model.apiId, model.modelId].some(
    (id) => id.includes("anthropic") || id.includes("claude"),
  );
  return (
    named ||
    model.providerId === "anthropic" ||
    model.providerId === "google-vertex-anthropic" ||
    model.npm === "@ai-sdk/anthropic" ||
    model.npm === "@ai-sdk/alibaba"
  );
}
