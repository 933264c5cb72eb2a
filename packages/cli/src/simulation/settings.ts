// Defines the model that a simulated session runs with.
import type { CacheLife } from "./provider-cache.ts";

export interface Model extends CacheLife {
  /** The window; a longer prompt is refused. */
  readonly windowTokens: number;
  /** The tokens that a prompt may take, so that the answer has its space. */
  readonly usableTokens: number;
  /** The tokens of tools and system prompt. */
  readonly frontTokens: number;
}
