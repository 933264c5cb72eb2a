// Whether tui.json names the plugin.
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const terminalPart: Check = {
  id: "terminal-part",
  title: "The terminal UI has its part",
  run: ({ plugins, written, writtenTerminal, bringsTerminalPart }) => {
    if (writtenTerminal.length > 0) return passed("tui.json names it");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not name the plugin");
    if (!bringsTerminalPart) return skipped("this version of the plugin brings none");
    const inProject = written.some(({ path }) => path.includes("/.opencode/"));
    return found({
      code: "terminal-part-missing",
      severity: "note",
      what: "The panel in the terminal UI is not there; commands work without it.",
      cause: "tui.json does not name the plugin, and opencode.json's list does not load that part.",
      fix: "session-runtime setup adds it.",
      repair: { kind: "set-up", scope: inProject ? "project" : "global", spec: ours.spec },
    });
  },
};
