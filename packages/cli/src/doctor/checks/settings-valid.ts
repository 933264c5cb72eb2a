// Whether the runtime's own settings fit.

import { sentence } from "../../sentence.ts";
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const settingsValid: Check = {
  id: "settings-valid",
  title: "The plugin's settings are valid",
  answeredBy: [],
  run: ({ settings }) => {
    const { warnings, layers } = settings;
    if (warnings.length === 0) {
      const files = layers.map(({ file }) => file).join(", ");
      return passed(files === "" ? "none; the defaults apply" : files);
    }
    return found(
      ...warnings.map(({ file, line, key, reason }): Finding => {
        const place = line === null ? file : `${file}:${line}`;
        return {
          code: "setting-invalid",
          severity: "warning",
          what: key === null ? `${place} is ignored.` : `"${key}" in ${place} is ignored.`,
          cause: sentence(reason),
          fix: fixFor(key, reason),
          repair: null,
        };
      }),
    );
  },
};

function fixFor(key: string | null, reason: string): string {
  const meant = /did you mean ("[^"]*")/.exec(reason)?.[1];
  if (meant !== undefined && key !== null) return `Write ${meant}.`;
  if (key === null) return "Correct the file; docs/configuration.md lists every setting.";
  return "Correct it or take it out; docs/configuration.md lists every setting.";
}
