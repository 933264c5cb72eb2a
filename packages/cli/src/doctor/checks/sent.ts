// Checks that sent text stays unchanged, on the wire and by the names of other plugins.

import { findRewriters } from "@session-runtime/opencode/status/rewriters";
import { describeChange, judgeTrial } from "../../live/verdict.ts";
import { sameWorkIn } from "../../setup/same-work.ts";
import { NO_PLUGIN } from "../answers.ts";
import { type Check, type Finding, found, passed, skipped } from "../finding.ts";

/** Checks on the wire that sent text stays unchanged, and that a change reaches the model. */
export const promptFrozen: Check = {
  id: "prompt-frozen",
  title: "What was sent stays unchanged",
  answeredBy: NO_PLUGIN,
  run: ({ trial, culprits, command }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    const verdict = judgeTrial(trial);
    if (!verdict.isLoaded) return skipped("the plugin is not loaded");
    if (verdict.isFrozen && verdict.isAnnounced) {
      return passed(
        "the instructions changed, the prompt stayed the same, and an update announced the change",
      );
    }
    // A check of its own names the plugin that changes it.
    if (culprits.length > 0) return skipped("another plugin changes the prompt");
    const { break: parting } = verdict;
    return found({
      code: verdict.isFrozen ? "change-not-announced" : "prompt-not-frozen",
      severity: "error",
      what: verdict.isFrozen
        ? "The model does not learn of changed instructions."
        : "What was sent to the model changes from call to call.",
      cause:
        parting === null
          ? "The plugin is loaded, and leaves OpenCode's own request as it is."
          : describeChange(parting),
      fix: `Please report it: \`${command} doctor --issue\` prepares the report.`,
    });
  },
};

/** Checks whether another plugin is seen changing sent text. */
export const rewritersOnWire: Check = {
  id: "rewriters-on-wire",
  title: "No other plugin changes what was sent",
  answeredBy: [...NO_PLUGIN, "prompt-not-frozen"],
  run: ({ trial, culprits, plugins }) => {
    if (trial?.kind !== "ran") return skipped("OpenCode was not started");
    if (!judgeTrial(trial).isLoaded) return skipped("the plugin is not loaded");
    const parting = judgeTrial(trial).break;
    if (culprits.length === 0) {
      return parting === null ? passed("seen in the requests") : skipped("none does so alone");
    }
    return found(
      ...culprits.map((spec): Finding => {
        const source = plugins.find((plugin) => plugin.spec === spec)?.source;
        const place = source === undefined ? "" : ` in ${source}`;
        return {
          code: "rewriter-on-wire",
          severity: "warning",
          what: `${spec} changes what was sent before, so the provider bills it again.`,
          cause: `With only this plugin and Session Runtime, calls change.${parting === null ? "" : ` ${describeChange(parting)}`}`,
          fix: `Take it out of the "plugin" list${place}, or set it to leave sent messages alone.`,
        };
      }),
    );
  },
};

function formatPluginCount(others: number): string {
  if (others === 0) return "there is no other plugin";
  return others === 1 ? "1 other plugin" : `${others} other plugins`;
}

/** Checks whether another plugin is known to rewrite requests. */
export const rewritersByName: Check = {
  id: "rewriters-by-name",
  title: "No other plugin does the same work",
  answeredBy: [],
  run: ({ resolved, plugins, command }) => {
    if (resolved?.kind !== "resolved") return skipped("OpenCode was not asked for its config");
    const others = plugins.filter(({ isOurs }) => !isOurs);
    const known = findRewriters(others.map(({ spec }) => spec));
    if (known.length === 0) {
      return passed(formatPluginCount(others.length));
    }
    const named = new Map(sameWorkIn(known).map(({ spec, name }) => [spec, name]));
    return found(
      ...known.map((spec): Finding => {
        const name = named.get(spec);
        return {
          code: "rewriter-known",
          severity: "warning",
          what:
            name === undefined
              ? `${spec} rewrites messages or the system prompt too.`
              : `${spec} (${name}) does the same work as Session Runtime.`,
          cause:
            "Each changes what the other has sent, and every such change costs the prompt cache.",
          fix:
            name === undefined
              ? "If the cache is lost again and again (/ctx-status shows it), keep only one of them."
              : `Keep one of them. \`${command} setup --replace\` removes ${name}.`,
        };
      }),
    );
  },
};
