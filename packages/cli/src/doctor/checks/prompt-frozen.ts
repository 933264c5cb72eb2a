// Whether, on the wire, what was sent stays as it was, and a change reaches the model.
import { changeIn, verdictOf } from "../../live/verdict.ts";
import { NO_PLUGIN } from "../answers.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const promptFrozen: Check = {
  id: "prompt-frozen",
  title: "What was sent stays unchanged",
  answeredBy: NO_PLUGIN,
  run: ({ trial, culprits, command }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    const verdict = verdictOf(trial);
    if (!verdict.isLoaded) return skipped("the plugin is not loaded");
    if (verdict.isFrozen && verdict.isTold) {
      return passed("instructions changed, the prompt stayed, and the change followed");
    }
    // Whoever spoils it is named by a check of its own.
    if (culprits.length > 0) return skipped("another plugin changes the prompt");
    const { break: parting } = verdict;
    return found({
      code: verdict.isFrozen ? "change-not-told" : "prompt-not-frozen",
      severity: "error",
      what: verdict.isFrozen
        ? "The model does not learn of changed instructions."
        : "What was sent to the model changes from call to call.",
      cause:
        parting === null
          ? "The plugin is loaded, and leaves OpenCode's own request as it is."
          : changeIn(parting),
      fix: `Please report it: \`${command} doctor --issue\` prepares the report.`,
      repair: null,
    });
  },
};
