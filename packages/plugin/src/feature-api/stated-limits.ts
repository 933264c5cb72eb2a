// Looks up the limits that providers have stated of their models, as features recorded them.
import type { FailureReporter } from "../log/fault.ts";
import type { ProvidedLookup } from "./extension-point.ts";
import { STATED_LIMITS, type StatedTokens } from "./extension-points.ts";

/** A limit that can't be read fails no call: the catalogue counts. */
export function featureLimits(
  provided: Pick<ProvidedLookup, "all">,
  failures: FailureReporter,
): StatedTokens {
  return (providerId, modelId) => {
    for (const { feature, value: statedTokens } of provided.all(STATED_LIMITS)) {
      const where = `${feature}.statedTokens`;
      try {
        const tokens = statedTokens(providerId, modelId);
        failures.worked(where);
        if (tokens !== null) return tokens;
      } catch (error) {
        failures.failed(where, error);
      }
    }
    return null;
  };
}
