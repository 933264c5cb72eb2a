// Checks that Pi exists, can run the extension, lists it and loads it; skipped on a machine without Pi.
import { OLDEST_PI, TESTED_PI } from "../../host/pi-versions.ts";
import { compareVersions } from "../../host/version-range.ts";
import { hasOurs } from "../../live/pi-commands.ts";
import { sentence } from "../../sentence.ts";
import type { Facts } from "../facts/facts.ts";
import type { PiEntry } from "../facts/pi.ts";
import {
  type Check,
  type CheckResult,
  type Finding,
  found,
  NOTHING_HERE,
  passed,
  skipped,
} from "../finding.ts";

/** The oldest Node that Pi itself supports. */
const OLDEST_NODE = "22.19.0";
const INSTALL =
  "Install Pi with a Node from 22.19 on: npm install -g @earendil-works/pi-coding-agent";

const NO_PI = ["pi-missing", "pi-broken"];

/** Checks that Pi exists, where anything needs it. */
export const piFound: Check = {
  id: "pi-found",
  title: "Pi is installed",
  answeredBy: ["folder-variable-wrong"],
  run: ({ pi, command, env }) => {
    const { search, node, entries } = pi;
    if (search.found !== null) {
      const { version, path } = search.found;
      return passed(`${version} at ${path}${node === null ? "" : `, on Node ${node}`}`);
    }
    const [broken] = search.broken;
    const severity = entries.length > 0 ? "error" : "note";
    if (broken !== undefined) {
      return found({
        code: "pi-broken",
        severity,
        what:
          broken.fault === "hangs"
            ? `Pi at ${broken.path} did not answer in time.`
            : `Pi at ${broken.path} does not run.`,
        cause: sentence(broken.reason),
        fix: INSTALL,
      });
    }
    if (entries.length === 0 && !env.PI_BIN) return NOTHING_HERE;
    const named = env.PI_BIN ? `PI_BIN names ${env.PI_BIN}, where there is no program. ` : "";
    return found({
      code: "pi-missing",
      severity,
      what:
        entries.length > 0
          ? "Pi's settings list the extension, but Pi was not found."
          : "Pi was not found.",
      cause: `${named}It is not on PATH, nor in any of the ${search.looked.length} places that were searched.`,
      fix: `${INSTALL}. If it is installed somewhere else, set PI_BIN to its path. To remove the extension: \`${command} setup --remove --host pi\`.`,
    });
  },
};

/** Checks that the extension supports Pi's and its Node's versions. */
export const piVersion: Check = {
  id: "pi-version",
  title: "Pi's version is supported",
  answeredBy: NO_PI,
  run: ({ pi: { search, node } }) => {
    if (search.found === null) return NOTHING_HERE;
    const { version } = search.found;
    if (node !== null && compareVersions(node, OLDEST_NODE) < 0) {
      return found({
        code: "pi-node-too-old",
        severity: "error",
        what: `Pi runs on Node ${node}, which is too old for it.`,
        cause: "Pi needs Node 22.19 or later, and takes the first `node` on PATH.",
        fix: "Install a newer Node, or put it first on PATH.",
      });
    }
    if (compareVersions(version, OLDEST_PI) < 0) {
      return found({
        code: "pi-too-old",
        severity: "warning",
        what: `Pi ${version} is too old for the extension.`,
        cause: `The extension needs Pi ${OLDEST_PI} or later.`,
        fix: "Update Pi: npm install -g @earendil-works/pi-coding-agent",
      });
    }
    const isTested = TESTED_PI.includes(version);
    return passed(
      isTested ? `${version}, tested` : `${version}; tested with ${TESTED_PI.join(", ")}`,
    );
  },
};

/** Checks that Pi can read its settings. */
export const piSettingsReadable: Check = {
  id: "pi-settings",
  title: "Pi's settings are valid",
  answeredBy: NO_PI,
  run: ({ pi: { search, files, ownSettings } }) => {
    const faulty = files.filter(({ fault }) => fault !== null);
    if (faulty.length > 0) {
      return found(
        ...faulty.map(
          ({ path, fault }): Finding => ({
            code: "pi-settings-invalid",
            severity: "error",
            what: `Pi can't read ${path}, so it loads no extension that is listed there.`,
            cause: sentence(fault ?? ""),
            fix: "Correct the file. Pi takes JSON without comments and trailing commas.",
          }),
        ),
      );
    }
    if (search.found === null) return NOTHING_HERE;
    const count = files.length === 1 ? "1 file" : `${files.length} files`;
    return passed(`${count}; Session Runtime's settings for Pi alone:  ${ownSettings}`);
  },
};

/** Checks that Pi's settings list the extension, once. */
export const piListed: Check = {
  id: "pi-listed",
  title: "Pi's settings list the extension",
  answeredBy: [...NO_PI, "pi-settings-invalid"],
  run: (facts) => {
    const { pi, command } = facts;
    const { search, entries } = pi;
    const lost = entries.flatMap((entry) => findLoss(entry, facts));
    if (lost.length > 0) return found(...lost);
    if (search.found === null) return NOTHING_HERE;
    const [first, second] = entries;
    if (first === undefined) {
      return found({
        code: "pi-not-listed",
        severity: "note",
        what: "Pi runs without Session Runtime.",
        cause: "None of its settings files that count here lists the extension.",
        fix: `${command} setup --host pi`,
      });
    }
    if (second !== undefined && second.spec !== first.spec) {
      return found({
        code: "pi-listed-twice",
        severity: "error",
        what: "Pi loads the extension twice.",
        cause: `It is listed as ${entries.map(({ spec, path }) => `${spec} in ${path}`).join(" and as ")}.`,
        fix: `Take one of them out of "packages"; \`${command} setup --remove --host pi\` (with --project for the project's) does so.`,
      });
    }
    return passed(`${first.spec} (${first.path})`);
  },
};

/** Finds why an entry is not an extension. */
function findLoss({ state, path, scope, spec }: PiEntry, { command }: Facts): readonly Finding[] {
  const flags = `${scope === "project" ? " --project" : ""} --host pi`;
  switch (state.kind) {
    case "there":
      return [];
    case "gone":
      return [
        {
          code: "pi-extension-gone",
          severity: "error",
          what: `${path} lists an extension that no longer exists.`,
          cause: `There is nothing at ${state.place}.`,
          fix: `\`${command} setup${flags}\` replaces the entry with the extension that you have now; \`${command} setup --remove${flags}\` takes it out.`,
        },
      ];
    case "not-built":
      return [
        {
          code: "pi-extension-not-built",
          severity: "error",
          what: `The extension in ${spec} is not built.`,
          cause: `${state.missing} does not exist.`,
          fix: "Run `node scripts/build-pi.mjs` in the clone.",
        },
      ];
  }
}

/** Checks that Pi loads the extension. */
export const piLoads: Check = {
  id: "pi-loads",
  title: "Pi loads the extension",
  answeredBy: [
    ...NO_PI,
    "pi-node-too-old",
    "pi-settings-invalid",
    "pi-not-listed",
    "pi-extension-gone",
    "pi-extension-not-built",
    "disabled-by-setting",
  ],
  run: ({ pi: { search, entries, answer }, command }): CheckResult => {
    if (search.found === null) return NOTHING_HERE;
    if (answer === null) return skipped("Pi was not started");
    if (answer.kind === "failed") {
      return found({
        code: "pi-fails",
        severity: "error",
        what: answer.fault === "hangs" ? "Pi did not answer in time." : "Pi does not start.",
        cause: sentence(answer.reason),
        fix: "Run `pi` here: it says why. `pi --no-extensions` starts it without any extension.",
      });
    }
    if (hasOurs(answer.commands)) return passed("seen in the real Pi");
    if (entries.every(({ scope }) => scope === "project")) {
      return skipped("Pi reads a project's settings once you trust the project");
    }
    return found({
      code: "pi-extension-fails",
      severity: "error",
      what: "Pi runs without the extension that its settings list.",
      cause: sentence(answer.complaints.join(" ") || "Pi left it out and gave no reason"),
      fix: `\`${command} setup --host pi\` installs one that works. If it is a clone, run \`npm install\` in it first.`,
    });
  },
};

/** Checks that the database has Pi's sessions. */
export const piSessions: Check = {
  id: "pi-sessions",
  title: "The database has Pi's sessions",
  answeredBy: ["pi-not-listed", "pi-extension-fails", "pi-fails"],
  run: ({ pi: { search, entries }, database: { file } }) => {
    if (search.found === null || entries.length === 0) return NOTHING_HERE;
    const sessions = file?.sessions ?? null;
    if (sessions === null) return skipped(file === null ? "there is none yet" : "it was not read");
    if (sessions.pi === 0) return passed("none yet: one is stored at its first prompt");
    return passed(`${sessions.pi} of Pi, ${sessions.opencode} of OpenCode`);
  },
};
