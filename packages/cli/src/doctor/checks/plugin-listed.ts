// Whether the config names the plugin, once.
import { NO_HOST } from "../answers.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const pluginListed: Check = {
  id: "plugin-listed",
  title: "The config lists the plugin",
  answeredBy: [...NO_HOST, "plugin-gone"],
  run: ({ resolved, plugins, written, command }) => {
    if (resolved?.kind !== "resolved") return skipped("OpenCode was not asked for its config");
    const ours = plugins.filter((plugin) => plugin.isOurs);
    const [first, second] = ours;
    if (second !== undefined) {
      const entries = ours.map(({ spec, source }) => `${spec} in ${source}`);
      return found({
        code: "plugin-twice",
        severity: "error",
        what: "OpenCode loads the plugin twice.",
        cause: `It is listed as ${entries.join(" and as ")}.`,
        fix: `Take one of the two out of its "plugin" list; \`${command} setup --remove\` (with --project for the project's) does so.`,
        repair: null,
      });
    }
    if (first !== undefined) return passed(`${first.spec} (${first.source})`);
    const [hidden] = written;
    if (hidden !== undefined) {
      return found({
        code: "plugin-shadowed",
        severity: "error",
        what: `${hidden.path} lists the plugin, but OpenCode ignores that list.`,
        cause:
          'Of config.json, opencode.json and opencode.jsonc in your config folder, only the last "plugin" list counts.',
        fix: `\`${command} setup\` puts it into the list that counts.`,
        repair: { kind: "set-up", scope: "global", spec: hidden.spec },
      });
    }
    return found({
      code: "plugin-not-listed",
      severity: "error",
      what: "OpenCode does not load the plugin.",
      cause: 'No "plugin" list that counts here names it.',
      fix: `${command} setup`,
      repair: null,
    });
  },
};
