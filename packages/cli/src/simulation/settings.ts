// The model that a simulated session runs with.
import type { CacheLife } from "./provider-cache.ts";

export interface Model extends CacheLife {
  /** A longer prompt is refused. */
  readonly windowTokens: number;
  /** What a prompt may take where the answer has its room. */
  readonly usableTokens: number;
  /** Tools and system. */
  readonly frontTokens: number;
}
