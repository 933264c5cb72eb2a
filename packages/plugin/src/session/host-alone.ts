// Describes what the host would have done at a call without this plugin, for comparison. Pure.

export interface HostWithoutPlugin {
  /**
   * `where announced`: the host would have written each announced change into its system prompt. `rewritten`: it
   * would have changed its prompt at this call in any case; `kept`: it would not have.
   */
  readonly prompt: "where announced" | "rewritten" | "kept";
  /** The bytes that it would have announced at the end: new ones in this call, and those of earlier calls. */
  readonly announcedBytes: number;
  readonly carriedBytes: number;
  /** About how many tokens stand before its prompt, and are still read where that changes; without our tools. */
  readonly keptTokens: number;
}

/** Describes a host that renders its prompt again at every call. */
export const RENDERS_EACH_CALL: HostWithoutPlugin = {
  prompt: "where announced",
  announcedBytes: 0,
  carriedBytes: 0,
  keptTokens: 0,
};
