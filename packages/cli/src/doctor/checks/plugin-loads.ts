// Whether the plugin was seen loaded in the real host.
// Folder: The checks, one per file.
import { verdictOf } from "../../live/verdict.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const pluginLoads: Check = {
  id: "plugin-loads",
  title: "The plugin loads",
  run: ({ trial, importError, plugins }) => {
    if (trial === null) return skipped("OpenCode was not started");
    if (trial.kind === "failed") {
      return found({
        code: "host-fails",
        severity: "error",
        what: "OpenCode started, and did not answer as it should.",
        cause: [trial.reason, ...complaintsIn(trial.log)].join(" "),
        fix: "Run `opencode serve --print-logs` here; what it prints last says why.",
        repair: null,
      });
    }
    if (verdictOf(trial).isLoaded) return passed("seen in the real OpenCode");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not name it");
    return found({
      code: "plugin-fails",
      severity: "error",
      what: `OpenCode can't load ${ours.spec}.`,
      cause: importError ?? complaintsIn(trial.log).join(" ") ?? "it does not say why.",
      fix: "npx session-runtime@latest setup names a version that works; with a path, check that it is a whole package.",
      repair: null,
    });
  },
};

const COMPLAINTS = 2;

function complaintsIn(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line.includes("level=ERROR"))
    .map((line) => line.replace(/^.*?message=/, ""))
    .slice(-COMPLAINTS);
}
