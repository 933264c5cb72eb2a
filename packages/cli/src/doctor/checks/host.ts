// Checks that OpenCode exists in a supported version, and answers.
import type { FoundHost } from "../../host/find-host.ts";
import { HOST_RANGE, INSTALL_COMMAND, INSTALL_HOST } from "../../host/require-host.ts";
import type { TestedVersion } from "../../host/tested-versions.ts";
import { compareVersions, isInRange } from "../../host/version-range.ts";
import { sentence } from "../../sentence.ts";
import type { Facts } from "../facts/facts.ts";
import type { Hang } from "../facts/hang.ts";
import {
  type Check,
  type CheckResult,
  type Finding,
  found,
  passed,
  skipped,
  UPDATE,
} from "../finding.ts";

/** Checks that OpenCode exists, and starts. */
export const hostFound: Check = {
  id: "host-found",
  title: "OpenCode is installed",
  answeredBy: ["folder-variable-wrong"],
  run: ({ search, env, pi }) => {
    const named = env.OPENCODE_BIN;
    if (search.found !== null) {
      const { version, path } = search.found;
      if (named === undefined || named === "" || named === path) {
        const [other] = search.others;
        return other === undefined ? passed(`${version} at ${path}`) : several(search.found, other);
      }
      const fault = search.broken.find((broken) => broken.path === named);
      return found({
        code: "host-named-unusable",
        severity: "note",
        what: `OPENCODE_BIN names ${named}, which does not work; ${path} is used instead.`,
        cause: fault === undefined ? "There is no program at that path." : sentence(fault.reason),
        fix: "Correct OPENCODE_BIN, or unset it.",
      });
    }
    const [broken] = search.broken;
    if (broken?.fault === "hangs") {
      return found({
        code: "host-hangs",
        severity: "error",
        what: `OpenCode at ${broken.path} did not answer in time.`,
        cause: sentence(broken.reason),
        fix: "Try again when this machine is less busy. If it still does not answer, reinstall it (https://opencode.ai/docs): npm install -g opencode-ai",
      });
    }
    if (broken !== undefined) {
      return found({
        code: "host-broken",
        severity: "error",
        what: `OpenCode at ${broken.path} does not run.`,
        cause: sentence(broken.reason),
        fix: "Reinstall it (https://opencode.ai/docs): npm install -g opencode-ai",
      });
    }
    // A user of Pi alone does not need OpenCode.
    if (pi.search.found !== null && !named) return skipped("only Pi is installed");
    const elsewhere = `It is not on PATH, nor in any of the ${search.looked.length} places that were searched.`;
    return found({
      code: "host-missing",
      severity: "error",
      what: "OpenCode was not found.",
      cause: named
        ? `OPENCODE_BIN names ${named}, where there is no program. ${elsewhere}`
        : elsewhere,
      fix: named
        ? `Correct OPENCODE_BIN. If OpenCode is not installed: ${INSTALL_COMMAND}`
        : `${INSTALL_HOST}. If it is installed somewhere else, set OPENCODE_BIN to its path.`,
    });
  },
};

function several({ path, version }: FoundHost, other: string): CheckResult {
  return found({
    code: "host-twice",
    severity: "note",
    what: `There is more than one OpenCode: ${version} at ${path} is checked, and ${other} is another.`,
    cause: "Both are on your PATH. A shell or an editor with another PATH may start the other one.",
    fix: `Remove the one that you don't use. To check the other: OPENCODE_BIN=${other}`,
  });
}

/** Checks that OpenCode's version is supported. */
export const hostVersion: Check = {
  id: "host-version",
  title: "Its version is supported",
  answeredBy: [],
  run: ({ search, testedHosts }) => {
    if (search.found === null) return skipped("there is no OpenCode");
    const { version } = search.found;
    if (!isInRange(version, HOST_RANGE)) return outOfRange(version);
    const tested = testedHosts.find((host) => host.version === version);
    return tested === undefined ? untested(version, testedHosts) : inTable(tested);
  },
};

function outOfRange(version: string): CheckResult {
  const oldest = HOST_RANGE.replace(/^>=(\S+).*$/, "$1");
  const isOld = compareVersions(version, oldest) < 0;
  return found({
    code: isOld ? "host-too-old" : "host-too-new",
    severity: "error",
    what: `OpenCode ${version} does not load the plugin.`,
    cause: `The plugin needs OpenCode ${HOST_RANGE}.`,
    fix: isOld ? "Update OpenCode: opencode upgrade" : UPDATE,
  });
}

const NO_STABLE_2 =
  "support for OpenCode 2 follows its source code and was never run on a stable 2.x: docs/hosts.md says what works there";

function untested(version: string, testedHosts: readonly TestedVersion[]): CheckResult {
  const good = testedHosts.filter(({ verdict }) => verdict === "works");
  const list = good.map((host) => host.version).join(", ");
  const known = list === "" ? "" : `; tested with ${list}`;
  const unproven = compareVersions(version, "2.0.0") < 0 ? "" : `; ${NO_STABLE_2}`;
  return passed(`${version} is in ${HOST_RANGE}${known}${unproven}`);
}

function inTable({ version, verdict, failing }: TestedVersion): CheckResult {
  if (verdict === "works") return passed(`${version}, which passed all our tests`);
  return found({
    code: "host-not-sound",
    severity: "warning",
    what: `The plugin does not work ${verdict === "partly" ? "fully " : ""}in OpenCode ${version}.`,
    cause: `Some of our tests fail with it: ${failing.join("; ")}.`,
    fix: "Update OpenCode: opencode upgrade",
  });
}

/** Checks that OpenCode answers here, and if not, finds the plugin that prevents it. */
export const hostAnswers: Check = {
  id: "host-answers",
  title: "OpenCode answers",
  answeredBy: ["folder-variable-wrong", "config-invalid", "config-unreadable", "config-refused"],
  run: (facts) => {
    const { resolved, hang, directory, search } = facts;
    if (resolved === null) {
      return skipped(
        search.found === null ? "there is no OpenCode to ask" : "OpenCode 2 is not asked",
      );
    }
    if (resolved.kind === "hung") {
      return found(silent(`\`opencode debug config\` in ${directory}`, resolved.patienceMs));
    }
    if (hang !== null) return explained(hang, facts);
    if (resolved.kind === "resolved" && resolved.loading.kind === "hung") {
      return found({
        code: "plugins-hang",
        severity: "error",
        what: "OpenCode hangs while it loads its plugins.",
        cause: "It answers without plugins, but not with them.",
        fix: "Run doctor without --no-live: it tries each plugin alone and names the one that hangs.",
      });
    }
    return passed("in time");
  },
};

function explained(hang: Hang, { plugins, directory }: Facts): CheckResult {
  const { at, culprits, waitedMs, without } = hang;
  const doing = at === "loading" ? "loading plugins" : "a prompt";
  if (without === "host") return found(silent(`${doing}, even without plugins`, waitedMs));
  if (culprits.length > 0) {
    return found(
      ...culprits.map((spec): Finding => {
        const source = plugins.find((plugin) => plugin.spec === spec)?.source ?? directory;
        return {
          code: "plugin-hangs",
          severity: "error",
          what: `The plugin ${spec} makes OpenCode hang.`,
          cause: `With this plugin alone, OpenCode did not finish ${doing} within ${seconds(waitedMs)}; without plugins it did.`,
          fix: `Take it out of the "plugin" list in ${source}, or update it, and report it to its author.`,
        };
      }),
    );
  }
  const names = plugins.map(({ spec }) => spec).join(", ");
  return found({
    code: "plugins-hang",
    severity: "error",
    what: "The plugins together make OpenCode hang.",
    cause: `With all of them it did not finish ${doing} within ${seconds(waitedMs)}; with each one alone it did: ${names}.`,
    fix: "Take them out one by one until OpenCode answers.",
  });
}

function silent(doing: string, patienceMs: number): Finding {
  return {
    code: "host-does-not-answer",
    severity: "error",
    what: "OpenCode does not answer.",
    cause: `It did not finish ${doing} within ${seconds(patienceMs)}, and was ended with its child processes.`,
    fix: "Run `opencode serve --print-logs` here: its last line shows where it waits. A network drive and a blocked network are the usual reasons.",
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
