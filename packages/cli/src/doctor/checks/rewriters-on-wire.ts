// Whether another plugin is seen changing what was sent.
import { changeIn, verdictOf } from "../../live/verdict.ts";
import { NO_PLUGIN } from "../answers.ts";
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

export const rewritersOnWire: Check = {
  id: "rewriters-on-wire",
  title: "No other plugin changes what was sent",
  answeredBy: [...NO_PLUGIN, "prompt-not-frozen"],
  run: ({ trial, culprits, plugins }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    if (!verdictOf(trial).isLoaded) return skipped("the plugin is not loaded");
    const parting = verdictOf(trial).break;
    if (culprits.length === 0) {
      return parting === null ? passed("seen on the wire") : skipped("none does so alone");
    }
    return found(
      ...culprits.map((spec): Finding => {
        const source = plugins.find((plugin) => plugin.spec === spec)?.source;
        const place = source === undefined ? "" : ` in ${source}`;
        return {
          code: "rewriter-on-wire",
          severity: "warning",
          what: `${spec} changes what was sent before, so the provider bills it again.`,
          cause: `With this plugin and Session Runtime alone, calls change.${parting === null ? "" : ` ${changeIn(parting)}`}`,
          fix: `Take it out of the "plugin" list${place}, or set it to leave sent messages alone.`,
          repair: null,
        };
      }),
    );
  },
};
