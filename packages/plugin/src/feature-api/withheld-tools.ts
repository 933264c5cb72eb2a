// Looks up which of our own tools are withheld from a call, as a feature decides.
import type { FailureReporter } from "../log/fault.ts";
import type { ProvidedLookup } from "./extension-point.ts";
import { WITHHELD_TOOLS } from "./extension-points.ts";
import type { WithheldToolNames } from "./offered-call.ts";

/** A decision that fails costs no call: its tools are offered as they are. */
export function featureWithheldTools(
  provided: Pick<ProvidedLookup, "all">,
  failures: FailureReporter,
): WithheldToolNames {
  return (call) => {
    const [provider] = provided.all(WITHHELD_TOOLS);
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
