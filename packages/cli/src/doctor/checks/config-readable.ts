// Whether the config files can be read, and the host takes them.
import type { ConfigFile } from "../../config-file/read-file.ts";
import { sentence } from "../../sentence.ts";
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const configReadable: Check = {
  id: "config-readable",
  title: "The config files are valid",
  answeredBy: ["folder-variable-wrong"],
  run: ({ configFiles, resolved }) => {
    const broken = configFiles.flatMap(findingOn);
    if (broken.length > 0) return found(...broken);
    if (resolved?.kind === "refused") {
      return found({
        code: "config-refused",
        severity: "error",
        what: "OpenCode rejects its config and does not start.",
        cause: resolved.reason,
        fix: "Correct what it names. https://opencode.ai/docs/config lists every key.",
        repair: null,
      });
    }
    const count = configFiles.length;
    return passed(count === 1 ? "1 file" : `${count} files`);
  },
};

function findingOn(file: ConfigFile): readonly Finding[] {
  if (file.kind === "invalid") {
    return [
      {
        code: "config-invalid",
        severity: "error",
        what: `${file.path} is not valid JSON.`,
        cause: `${sentence(file.reason).slice(0, -1)} at line ${file.line}, column ${file.column}.`,
        fix: "Correct that line. Comments and trailing commas are allowed.",
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
      cause: sentence(file.reason),
      fix: "Make it a readable file, or move it away.",
      repair: null,
    },
  ];
}
