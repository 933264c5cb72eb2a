// Whether OpenCode answers here, and if not, which plugin keeps it from that.
import type { Check } from "../check.ts";
import type { Facts } from "../facts/facts.ts";
import type { Hang } from "../facts/hang.ts";
import { type CheckResult, type Finding, found, passed, skipped } from "../finding.ts";

export const hostAnswers: Check = {
  id: "host-answers",
  title: "OpenCode answers",
  answeredBy: ["folder-variable-wrong", "config-invalid", "config-unreadable", "config-refused"],
  run: (facts) => {
    const { resolved, hang, directory } = facts;
    if (resolved === null) return skipped("there is no OpenCode to ask");
    if (resolved.kind === "hung") {
      return found(silent(`\`opencode debug config\` in ${directory}`, resolved.patienceMs));
    }
    if (hang !== null) return explained(hang, facts);
    if (resolved.kind === "resolved" && resolved.loading.kind === "hung") {
      return found({
        code: "plugins-hang",
        severity: "error",
        what: "OpenCode hangs while it loads its plugins.",
        cause: "It answers without plugins, but not with them.",
        fix: "Run doctor without --no-live: it tries each plugin alone and names the one that hangs.",
        repair: null,
      });
    }
    return passed("in time");
  },
};

function explained(hang: Hang, { plugins, directory }: Facts): CheckResult {
  const { at, culprits, waitedMs, without } = hang;
  const doing = at === "loading" ? "loading plugins" : "a prompt";
  if (without === "host") return found(silent(`${doing}, even without plugins`, waitedMs));
  if (culprits.length > 0) {
    return found(
      ...culprits.map((spec): Finding => {
        const source = plugins.find((plugin) => plugin.spec === spec)?.source ?? directory;
        return {
          code: "plugin-hangs",
          severity: "error",
          what: `The plugin ${spec} makes OpenCode hang.`,
          cause: `With this plugin alone, OpenCode did not finish ${doing} within ${seconds(waitedMs)}; without plugins it did.`,
          fix: `Take it out of the "plugin" list in ${source}, or update it, and report it to its author.`,
          repair: null,
        };
      }),
    );
  }
  const names = plugins.map(({ spec }) => spec).join(", ");
  return found({
    code: "plugins-hang",
    severity: "error",
    what: "The plugins together make OpenCode hang.",
    cause: `With all of them it did not finish ${doing} within ${seconds(waitedMs)}; with each one alone it did: ${names}.`,
    fix: "Take them out one by one until OpenCode answers.",
    repair: null,
  });
}

function silent(doing: string, patienceMs: number): Finding {
  return {
    code: "host-does-not-answer",
    severity: "error",
    what: "OpenCode does not answer.",
    cause: `It did not finish ${doing} within ${seconds(patienceMs)}, and was ended with its child processes.`,
    fix: "Run `opencode serve --print-logs` here: its last line shows where it waits. A network drive and a blocked network are the usual reasons.",
    repair: null,
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
