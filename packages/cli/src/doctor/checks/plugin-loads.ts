// Whether the host loads the plugin.
// Folder: The checks, one per file.
import { verdictOf } from "../../live/verdict.ts";
import { sentence } from "../../sentence.ts";
import { NO_PLUGIN } from "../answers.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const pluginLoads: Check = {
  id: "plugin-loads",
  title: "The plugin loads",
  answeredBy: NO_PLUGIN,
  run: ({ trial, importError, plugins, command }) => {
    if (trial === null) return skipped("OpenCode was not started");
    if (trial.kind === "failed") {
      return found({
        code: "host-fails",
        severity: "error",
        what: "OpenCode starts, but does not work.",
        cause: [trial.reason, ...complaintsIn(trial.log)].join(" "),
        fix: "Run `opencode serve --print-logs` here: its last lines say why.",
        repair: null,
      });
    }
    if (verdictOf(trial).isLoaded) return passed("seen in the real OpenCode");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not list it");
    const complaint = importError ?? complaintsIn(trial.log).join(" ");
    return found({
      code: "plugin-fails",
      severity: "error",
      what: `OpenCode can't load ${ours.spec}.`,
      cause: sentence(complaint || "OpenCode left it out and logged no reason"),
      fix: `\`${command} setup\` installs a version that works. If it is a clone, run \`npm install\` in it.`,
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
