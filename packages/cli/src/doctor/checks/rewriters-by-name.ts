// Whether another plugin is known to rewrite requests.
import { rewritersIn } from "../../../../plugin/src/status/rewriters.ts";
import { sameWorkIn } from "../../setup/same-work.ts";
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

function countOf(others: number): string {
  if (others === 0) return "there is no other plugin";
  return others === 1 ? "1 other plugin" : `${others} other plugins`;
}

export const rewritersByName: Check = {
  id: "rewriters-by-name",
  title: "No other plugin does the same work",
  answeredBy: [],
  run: ({ resolved, plugins, command }) => {
    if (resolved?.kind !== "resolved") return skipped("OpenCode was not asked for its config");
    const others = plugins.filter(({ isOurs }) => !isOurs);
    const known = rewritersIn(others.map(({ spec }) => spec));
    if (known.length === 0) {
      return passed(countOf(others.length));
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
              : `Keep one of them. \`${command} setup --replace\` takes ${name} out.`,
          repair: null,
        };
      }),
    );
  },
};
