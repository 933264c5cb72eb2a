// Plugins known by name to rewrite requests.
import { rewritersIn } from "../../../../plugin/src/status/rewriters.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const rewritersByName: Check = {
  id: "rewriters-by-name",
  title: "No plugin does the same work",
  run: ({ resolved, plugins }) => {
    if (resolved?.kind !== "resolved") return skipped("OpenCode's config is not known");
    const others = plugins.filter(({ isOurs }) => !isOurs);
    const known = rewritersIn(others.map(({ spec }) => spec));
    if (known.length === 0) return passed(`${others.length} others`);
    return found(
      ...known.map((spec) => ({
        code: "rewriter-known",
        severity: "warning" as const,
        what: `${spec} rewrites messages or the system prompt too.`,
        cause:
          "It is on the list of plugins that are known for it. Two that do so work against each other.",
        fix: "Keep one of the two.",
        repair: null,
      })),
    );
  },
};
