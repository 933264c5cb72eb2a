// Whether a plugin list names a path where there is nothing.
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const pluginGone: Check = {
  id: "plugin-gone",
  title: "Every listed plugin exists",
  answeredBy: [],
  run: ({ gone, command, directory }) => {
    if (gone.length === 0) return passed("each path leads to a plugin");
    const findings = gone.map(({ file, path, isOurs }): Finding => {
      const flag = file.startsWith(directory) ? " --project" : "";
      return {
        code: isOurs ? "plugin-gone" : "other-plugin-gone",
        severity: isOurs ? "error" : "note",
        what: `${file} lists a plugin that no longer exists.`,
        cause: `There is nothing at ${path}.`,
        fix: isOurs
          ? `\`${command} setup${flag}\` replaces the entry with the plugin that you have now; \`${command} setup --remove${flag}\` takes it out.`
          : 'Correct the path, or take the entry out of the "plugin" list.',
        repair: null,
      };
    });
    return found(...findings);
  },
};
