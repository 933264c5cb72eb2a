// Whether what was sent stayed sent, on the wire.
import { verdictOf } from "../../live/verdict.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const promptFrozen: Check = {
  id: "prompt-frozen",
  title: "What was sent stays sent",
  run: ({ trial, culprits, settings }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    const verdict = verdictOf(trial);
    if (!verdict.isLoaded) return skipped("the plugin is not loaded");
    if (!settings.isEnabled) return skipped('"enabled" is false');
    if (verdict.isFrozen && verdict.isTold) {
      return passed("on the wire: instructions changed, the prompt did not, the change was told");
    }
    // Whoever spoils it is named by a check of its own.
    if (culprits.length > 0) return skipped("another plugin changes the prompt");
    const { break: parting } = verdict;
    return found({
      code: verdict.isFrozen ? "change-not-told" : "prompt-not-frozen",
      severity: "error",
      what: verdict.isFrozen
        ? "Changed instructions did not reach the model."
        : "What was sent to the model changed from one call to the next.",
      cause:
        parting === null
          ? "The runtime has left the host's own request as it was."
          : `In the ${parting.place}, "${parting.before}" became "${parting.after}".`,
      fix: "session-runtime doctor --bundle writes a report: please open an issue with it.",
      repair: null,
    });
  },
};
