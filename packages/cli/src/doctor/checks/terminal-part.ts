// Whether the terminal UI has the plugin's panel.
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const terminalPart: Check = {
  id: "terminal-part",
  title: "The terminal UI has its panel",
  answeredBy: ["plugin-gone"],
  run: ({ plugins, written, writtenTerminal, bringsTerminalPart, command }) => {
    if (writtenTerminal.length > 0) return passed("tui.json lists it");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not list the plugin");
    if (!bringsTerminalPart) return skipped("the plugin is listed by a file, or has no panel");
    const inProject = written.some(({ path }) => path.includes("/.opencode/"));
    return found({
      code: "terminal-part-missing",
      severity: "note",
      what: "The terminal UI does not show the panel. Commands work without it.",
      cause: "tui.json does not list the plugin, and OpenCode loads panels from that file only.",
      fix: `\`${command} setup${inProject ? " --project" : ""}\` adds it.`,
      repair: { kind: "set-up", scope: inProject ? "project" : "global", spec: ours.spec },
    });
  },
};
