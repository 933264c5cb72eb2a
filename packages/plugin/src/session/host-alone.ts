// What a host by itself would have done at a call, as the comparison with it needs it. Pure.

export interface HostWithoutPlugin {
  /**
   * `where announced`: each change that we announce it would have written into its system prompt. `rewritten`:
   * it would have changed its prompt at this call, whatever we announce; `kept`: it would not have.
   */
  readonly prompt: "where announced" | "rewritten" | "kept";
  /** Of what it would have announced itself, at the end: what is new in this call, and what earlier ones said. */
  readonly announcedBytes: number;
  readonly carriedBytes: number;
  /** About how many tokens stand before its prompt, and are still read where that changes; without our tools. */
  readonly keptTokens: number;
}

/** A host that renders its prompt again at every call. */
export const RENDERS_EACH_CALL: HostWithoutPlugin = {
  prompt: "where announced",
  announcedBytes: 0,
  carriedBytes: 0,
  keptTokens: 0,
};
