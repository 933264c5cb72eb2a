// Holds what the configuration sets for a Location's sessions, and when a pause outlasts the cache.

export interface RuntimeSettings {
  /** The time for which a provider keeps what it was sent. */
  readonly cacheTtlMs: number;
  readonly sourceTimeoutMs: number;
  readonly onModelSwitch: "keep" | "fold";
  readonly split: "auto" | "never";
  /**
   * `host`: the host freezes its system prompt and announces its changes itself; a Baseline has our own sources
   * alone.
   */
  readonly system: "ours" | "host";
}

/** Returns the pause if it outlasted the provider's cache; null: the cache may still be warm. */
export function coldPauseMs(
  { cacheTtlMs }: Pick<RuntimeSettings, "cacheTtlMs">,
  pauseMs: number,
): number | null {
  return pauseMs > cacheTtlMs ? pauseMs : null;
}
