// What providers have stated of their models, as rooms have heard it.
import type { FailureReporter } from "../log/fault.ts";
import type { OpenRoom } from "./open-rooms.ts";

/** In tokens; null where nobody knows. What can't be read costs no call: the catalogue counts. */
type StatedTokens = (providerId: string, modelId: string) => number | null;

export function roomLimits(rooms: readonly OpenRoom[], failures: FailureReporter): StatedTokens {
  return (providerId, modelId) => {
    for (const { feature, statedTokens } of rooms) {
      const where = `${feature}.statedTokens`;
      try {
        const tokens = statedTokens?.(providerId, modelId) ?? null;
        failures.worked(where);
        if (tokens !== null) return tokens;
      } catch (error) {
        failures.failed(where, error);
      }
    }
    return null;
  };
}
