// Whether a variable or a setting switches the plugin off.
import type { Check } from "../check.ts";
import { isOn } from "../facts/host-flag.ts";
import { type Finding, found, passed } from "../finding.ts";

export const switchedOff: Check = {
  id: "switched-off",
  title: "Nothing switches the plugin off",
  answeredBy: [],
  run: ({ env, settings }) => {
    const findings: Finding[] = [];
    if (isOn(env.OPENCODE_PURE)) {
      findings.push({
        code: "host-pure",
        severity: "error",
        what: "OpenCode loads no plugins here.",
        cause: `The environment has OPENCODE_PURE=${env.OPENCODE_PURE}.`,
        fix: "Run `unset OPENCODE_PURE`, and take it out of your shell's start-up files if they set it.",
        repair: null,
      });
    }
    if (!settings.isEnabled) {
      findings.push({
        code: "disabled-by-setting",
        severity: "warning",
        what: "The plugin is switched off.",
        cause: `${settings.offBy ?? "A setting"} says "enabled": false.`,
        fix: "Take that line out, or set it to true.",
        repair: null,
      });
    }
    return findings.length === 0 ? passed("no variable, no setting") : found(...findings);
  },
};
