// Whether files and host accept the config.
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const configReadable: Check = {
  id: "config-readable",
  title: "The config can be read",
  run: ({ configFiles, resolved }) => {
    const broken = configFiles.flatMap((file): readonly Finding[] => {
      if (file.kind === "invalid") {
        return [
          {
            code: "config-invalid",
            severity: "error",
            what: `${file.path} is no valid JSON.`,
            cause: `${file.reason} at line ${file.line}, column ${file.column}.`,
            fix: "Correct that line. Comments and trailing commas are fine.",
            repair: null,
          },
        ];
      }
      if (file.kind !== "unreadable") return [];
      return [
        {
          code: "config-unreadable",
          severity: "error",
          what: `${file.path} can't be read.`,
          cause: file.reason,
          fix: "Make it a readable file, or move it away.",
          repair: null,
        },
      ];
    });
    if (broken.length > 0) return found(...broken);
    if (resolved?.kind === "refused") {
      return found({
        code: "config-refused",
        severity: "error",
        what: "OpenCode refuses its config, and does not start.",
        cause: resolved.reason,
        fix: "Correct what it names; https://opencode.ai/docs/config lists every key.",
        repair: null,
      });
    }
    const count = configFiles.length;
    return passed(count === 1 ? "1 file" : `${count} files`);
  },
};
