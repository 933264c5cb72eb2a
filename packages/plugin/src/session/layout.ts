// The system strings that are sent, split at a breakpoint or joined.
import type { SentSystem } from "./turn-recorder.ts";

/** Whether the host gives the first two system strings a cache breakpoint each. */
export type SystemShape = "split" | "joined";

/**
 * The strings that are sent as system prompt. Split, preamble and Baseline each end at a breakpoint,
 * and what is live comes after both. Joined, all is one string, because several leading system
 * messages break some backends. `others` are the strings that other plugins have added.
 */
export function layoutSystem(
  system: SentSystem,
  others: readonly string[],
  shape: SystemShape,
): readonly string[] {
  const layers = [system.preamble, system.baseline, system.live].filter((text) => text !== "");
  switch (shape) {
    case "split":
      return [...layers, ...others];
    case "joined": {
      // The host itself joins further strings into one, but only while the first is as it made it.
      const rest = others.length > 0 ? [others.join("\n")] : [];
      return [layers.join("\n"), ...rest];
    }
  }
}
