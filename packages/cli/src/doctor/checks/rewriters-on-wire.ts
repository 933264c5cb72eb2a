// Plugins that were seen to rewrite requests.
import { verdictOf } from "../../live/verdict.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const rewritersOnWire: Check = {
  id: "rewriters-on-wire",
  title: "No plugin changes the prompt from call to call",
  run: ({ trial, culprits, settings }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    if (!verdictOf(trial).isLoaded) return skipped("the plugin is not loaded");
    if (!settings.isEnabled) return skipped('"enabled" is false');
    const parting = verdictOf(trial).break;
    if (culprits.length === 0) {
      return parting === null ? passed("seen on the wire") : skipped("none does so alone");
    }
    const change =
      parting && ` In the ${parting.place}, "${parting.before}" became "${parting.after}".`;
    return found(
      ...culprits.map((spec) => ({
        code: "rewriter-on-wire",
        severity: "warning" as const,
        what: `${spec} changes what was sent before; each such call is billed anew.`,
        cause: `With it and Session Runtime alone, the calls part.${change ?? ""}`,
        fix: "Take it out of the `plugin` list, or see whether it can be told to leave sent text alone.",
        repair: null,
      })),
    );
  },
};
