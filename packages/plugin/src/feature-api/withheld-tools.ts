// Looks up the limits that providers have stated, and which of our own tools are withheld from a call.
import type { FailureReporter } from "../log/fault.ts";
import type { ListWithheldTools, ProvidedLookup } from "./extension-point.ts";
import { type FindStatedTokens, STATED_LIMITS, WITHHELD_TOOLS } from "./extension-points.ts";

// Looks up the limits that providers have stated for their models, as features recorded them.

/**
 * Creates the lookup of stated limits. A limit that can't be read fails no call, because the catalogue's
 * limit applies then.
 */
export function createLimitLookup(
  provided: Pick<ProvidedLookup, "getAll">,
  failures: FailureReporter,
): FindStatedTokens {
  return (providerId, modelId) => {
    for (const { feature, value: statedTokens } of provided.getAll(STATED_LIMITS)) {
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

/**
 * Creates the lookup of the tools to withhold. If a feature's decision fails, the call's tools are offered as
 * they are.
 */
export function createWithheldToolsLookup(
  provided: Pick<ProvidedLookup, "getAll">,
  failures: FailureReporter,
): ListWithheldTools {
  return (call) => {
    const [provider] = provided.getAll(WITHHELD_TOOLS);
    if (!provider) return [];
    const where = `${provider.feature}.withheldTools`;
    try {
      const names = provider.value(call);
      failures.worked(where);
      return names;
    } catch (error) {
      failures.failed(where, error);
      return [];
    }
  };
}
