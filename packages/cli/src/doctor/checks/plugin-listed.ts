// Whether the config names the plugin, once, and where it counts.
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const pluginListed: Check = {
  id: "plugin-listed",
  title: "The config names the plugin",
  run: ({ resolved, plugins, written }) => {
    if (resolved?.kind !== "resolved") return skipped("OpenCode's config is not known");
    const ours = plugins.filter((plugin) => plugin.isOurs);
    const [first, second] = ours;
    if (second !== undefined) {
      return found({
        code: "plugin-twice",
        severity: "error",
        what: "The plugin is loaded twice.",
        cause: `The config names it as ${ours.map(({ spec }) => spec).join(" and as ")}.`,
        fix: "Take one of the two out of the `plugin` lists: session-runtime setup --remove (with --project for the project's), then setup.",
        repair: null,
      });
    }
    if (first !== undefined) return passed(`${first.spec} (${first.source})`);
    const [hidden] = written;
    if (hidden !== undefined) {
      return found({
        code: "plugin-shadowed",
        severity: "error",
        what: `${hidden.path} names the plugin, but OpenCode does not see it.`,
        cause:
          "Of config.json, opencode.json and opencode.jsonc in your config folder only the last `plugin` list counts.",
        fix: "session-runtime setup puts it into the list that counts.",
        repair: { kind: "set-up", scope: "global", spec: hidden.spec },
      });
    }
    return found({
      code: "plugin-not-listed",
      severity: "error",
      what: "OpenCode does not know of the plugin.",
      cause: "No `plugin` list that counts here names it.",
      fix: "session-runtime setup",
      repair: null,
    });
  },
};
