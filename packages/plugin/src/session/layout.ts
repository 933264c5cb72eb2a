// Lays out the system strings that are sent, split at a breakpoint or joined.
import type { SentSystem } from "./turn-recorder.ts";

/** `split` if the host gives the first two system strings a cache breakpoint each. */
export type SystemShape = "split" | "joined";

/** The strings that other plugins have put beside the host's, unchanged. */
interface ForeignBlocks {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Returns the strings that are sent as system prompt. Split, preamble and Baseline each end at a breakpoint, and
 * live text comes after both; where a string of another plugin stands before them, it takes the first
 * breakpoint, and the two are one. Joined, all of ours is one string, because several leading system messages
 * break some backends.
 */
export function layoutSystem(
  { preamble, baseline, live }: SentSystem,
  { before, after }: ForeignBlocks,
  shape: SystemShape,
): readonly string[] {
  switch (shape) {
    case "split": {
      const frozen = before.length > 0 ? [joinLayers(preamble, baseline)] : [preamble, baseline];
      return [...before, ...[...frozen, live].filter((text) => text !== ""), ...after];
    }
    case "joined": {
      // The host itself joins further strings into one, but only while the first is unchanged.
      const rest = after.length > 0 ? [after.join("\n")] : [];
      return [...before, joinLayers(preamble, baseline, live), ...rest];
    }
  }
}

function joinLayers(...layers: readonly string[]): string {
  return layers.filter((text) => text !== "").join("\n");
}
