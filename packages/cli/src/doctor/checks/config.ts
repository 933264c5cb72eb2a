// Checks the variables, config files and settings.
import { DANGLING_LINK_REASON } from "@session-runtime/opencode/config/load";
import type { ConfigWarning } from "@session-runtime/opencode/config/warning";
import type { ConfigFile } from "../../config-file/read-file.ts";
import { isOn } from "../../host/places.ts";
import { sentence } from "../../sentence.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

/** Checks that the variables that name folders name folders. */
export const folderVariables: Check = {
  id: "folder-variables",
  title: "The environment variables name usable folders",
  answeredBy: [],
  run: ({ wrongFolders }) => {
    if (wrongFolders.length === 0) return passed("HOME, TMPDIR and the XDG variables");
    return found(
      ...wrongFolders.map(
        ({ variable, path, reason, fault }): Finding => ({
          code: fault === "relative" ? "folder-variable-relative" : "folder-variable-wrong",
          severity: "error",
          what:
            fault === "relative"
              ? `${variable} is not an absolute path, so OpenCode and the plugin look in different folders.`
              : `${variable} does not name a folder, so neither OpenCode nor the plugin can work.`,
          cause: `${path}: ${reason}.`,
          fix:
            fault === "relative"
              ? `Set ${variable} to an absolute path, or unset it.`
              : `Correct ${variable}, or unset it.`,
        }),
      ),
    );
  },
};

/** Checks that the config files can be read, and the host accepts them. */
export const configReadable: Check = {
  id: "config-readable",
  title: "The config files are valid",
  answeredBy: ["folder-variable-wrong"],
  run: ({ configFiles, resolved }) => {
    const broken = configFiles.flatMap(checkConfigFile);
    if (broken.length > 0) return found(...broken);
    if (resolved?.kind === "refused") {
      return found({
        code: "config-refused",
        severity: "error",
        what: "OpenCode rejects its config and does not start.",
        cause: resolved.reason,
        fix: "Correct the key that it names. https://opencode.ai/docs/config lists every key.",
      });
    }
    const count = configFiles.length;
    return passed(count === 1 ? "1 file" : `${count} files`);
  },
};

function checkConfigFile(file: ConfigFile): readonly Finding[] {
  if (file.kind === "invalid") {
    return [
      {
        code: "config-invalid",
        severity: "error",
        what: `${file.path} is not valid JSON.`,
        cause: `${sentence(file.reason).slice(0, -1)} at line ${file.line}, column ${file.column}.`,
        fix: "Correct that line. Comments and trailing commas are allowed.",
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
    },
  ];
}

/** Checks that the runtime's own settings are valid. */
export const settingsValid: Check = {
  id: "settings-valid",
  title: "The plugin's settings are valid",
  answeredBy: [],
  run: ({ settings }) => {
    const { warnings, layers, ownFile } = settings;
    if (warnings.length === 0) {
      const files = layers.map(({ file }) => file).join(", ");
      return passed(files === "" ? "none; the defaults apply" : files);
    }
    return found(...inFileOrder(warnings).map((warning) => settingFinding(warning, ownFile)));
  },
};

/** Sorts warnings by file as they were read, and within one by line. */
function inFileOrder(warnings: readonly ConfigWarning[]): readonly ConfigWarning[] {
  const files = [...new Set(warnings.map(({ file }) => file))];
  return files.flatMap((file) =>
    warnings
      .filter((warning) => warning.file === file)
      .sort((one, other) => (one.line ?? 0) - (other.line ?? 0)),
  );
}

function settingFinding(warning: ConfigWarning, ownFile: string): Finding {
  const { kind, file, line, key, reason } = warning;
  const place = line === null ? file : `${file}:${line}`;
  const what = key === null ? `${place} is ignored.` : `"${key}" in ${place} is ignored.`;
  const cause = sentence(reason);
  switch (kind) {
    case "wrong":
      return {
        code: "setting-invalid",
        severity: "warning",
        what,
        cause,
        fix: fixFor(key, reason),
      };
    case "refused": {
      const fix = `If you want it, move "${key}" from ${file} to ${ownFile}; otherwise remove it.`;
      return { code: "setting-refused", severity: "warning", what, cause, fix };
    }
    case "renamed":
      return {
        code: "setting-renamed",
        severity: "warning",
        what: `"${key}" in ${place} is the old name of a setting.`,
        cause: sentence(`${key} ${reason}`),
        fix: "Write the new name instead.",
      };
  }
}

function fixFor(key: string | null, reason: string): string {
  const meant = /did you mean ("[^"]*")/.exec(reason)?.[1];
  if (meant !== undefined && key !== null) return `Write ${meant}.`;
  if (reason.startsWith(DANGLING_LINK_REASON)) return "Point the link to a file, or remove it.";
  if (key === null) return "Correct the file; docs/configuration.md lists every setting.";
  return "Correct or remove it; docs/configuration.md lists every setting.";
}

/** Checks whether a variable or a setting switches the plugin off. */
export const switchedOff: Check = {
  id: "switched-off",
  title: "Nothing turns the plugin off",
  answeredBy: [],
  run: ({ env, settings }) => {
    const findings: Finding[] = [];
    if (isOn(env.OPENCODE_PURE)) {
      findings.push({
        code: "host-pure",
        severity: "error",
        what: "OpenCode loads no plugins here.",
        cause: `The environment has OPENCODE_PURE=${env.OPENCODE_PURE}.`,
        fix: "Run `unset OPENCODE_PURE`, and remove it from your shell's start-up files if they set it.",
      });
    }
    if (!settings.isEnabled) {
      findings.push({
        code: "disabled-by-setting",
        severity: "note",
        what: `The plugin is turned off by ${settings.offBy ?? "a setting"}.`,
        cause: '"enabled" is false there, so OpenCode works as it does without the plugin.',
        fix: "To turn it on, remove that line or set it to true.",
      });
    }
    return findings.length === 0 ? passed("no variable, no setting") : found(...findings);
  },
};
