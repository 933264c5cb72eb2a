// Whether the variables that name folders name folders.
import type { Check } from "../check.ts";
import { type Finding, found, passed } from "../finding.ts";

export const folderVariables: Check = {
  id: "folder-variables",
  title: "The environment names folders that can be used",
  answeredBy: [],
  run: ({ wrongFolders }) => {
    if (wrongFolders.length === 0) return passed("HOME, TMPDIR and the XDG variables");
    return found(
      ...wrongFolders.map(
        ({ variable, path, reason }): Finding => ({
          code: "folder-variable-wrong",
          severity: "error",
          what: `${variable} does not name a folder, so neither OpenCode nor the plugin can work.`,
          cause: `${path}: ${reason}.`,
          fix: `Correct ${variable}, or unset it.`,
          repair: null,
        }),
      ),
    );
  },
};
