// Whether something switches plugins off.
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const switchedOff: Check = {
  id: "switched-off",
  title: "Nothing switches it off",
  run: ({ env, settings }) => {
    const findings: Finding[] = [];
    if (isOn(env.OPENCODE_PURE)) {
      findings.push({
        code: "host-pure",
        severity: "error",
        what: "OpenCode loads no plugins here.",
        cause: "OPENCODE_PURE is set in the environment.",
        fix: "unset OPENCODE_PURE, also where your shell's start-up files set it.",
        repair: null,
      });
    }
    if (!settings.isEnabled) {
      findings.push({
        code: "disabled-by-setting",
        severity: "warning",
        what: "The plugin is loaded and does nothing.",
        cause: 'A session-runtime.jsonc says "enabled": false.',
        fix: "Take that line out.",
        repair: null,
      });
    }
    return findings.length === 0 ? passed("no variable, no setting") : found(...findings);
  },
};

/** As the host reads its flags. */
function isOn(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
