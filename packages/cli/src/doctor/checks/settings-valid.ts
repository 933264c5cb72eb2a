// Whether the runtime's settings are valid.
import type { Check } from "../check.ts";
import { found, passed } from "../finding.ts";

export const settingsValid: Check = {
  id: "settings-valid",
  title: "Its settings fit",
  run: ({ settings }) => {
    if (settings.warnings.length === 0) return passed("session-runtime.jsonc, if there is one");
    return found(
      ...settings.warnings.map(({ file, key, reason }) => ({
        code: "setting-unfit",
        severity: "warning" as const,
        what: key === null ? `${file} is not used.` : `${key} in ${file} is not used.`,
        cause: reason,
        fix: "Correct it; README.md lists every key. Until then the default stands.",
        repair: null,
      })),
    );
  },
};
