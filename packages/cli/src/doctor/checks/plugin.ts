// Checks that the plugin exists, is listed and loaded, and has this version.
// Folder: The checks, one file per subject.
import pluginManifest from "../../../../plugin/package.json" with { type: "json" };
import { compareVersions, isOpenCode2 } from "../../host/version-range.ts";
import { judgeTrial } from "../../live/verdict.ts";
import { sentence } from "../../sentence.ts";
import { isPathSpec } from "../../setup/plugin-identity.ts";
import { NO_HOST, NO_PLUGIN } from "../answers.ts";
import type { Facts } from "../facts/facts.ts";
import type { CachedPackage } from "../facts/packages.ts";
import { type Check, type CheckResult, type Finding, found, passed, skipped } from "../finding.ts";

/** Checks for plugin entries whose path does not exist. */
export const pluginGone: Check = {
  id: "plugin-gone",
  title: "Every listed plugin exists",
  answeredBy: [],
  run: ({ gone, command, directory }) => {
    if (gone.length === 0) return passed("each path leads to a plugin");
    const findings = gone.map(({ file, path, isOurs }): Finding => {
      const flag = file.startsWith(directory) ? " --project" : "";
      return {
        code: isOurs ? "plugin-gone" : "other-plugin-gone",
        severity: isOurs ? "error" : "note",
        what: `${file} lists a plugin that no longer exists.`,
        cause: `There is nothing at ${path}.`,
        fix: isOurs
          ? `\`${command} setup${flag}\` replaces the entry with the plugin that you have now; \`${command} setup --remove${flag}\` takes it out.`
          : 'Correct the path, or take the entry out of the "plugin" list.',
      };
    });
    return found(...findings);
  },
};

/** Checks that the config names the plugin, once. */
export const pluginListed: Check = {
  id: "plugin-listed",
  title: "The config lists the plugin",
  answeredBy: [...NO_HOST, "plugin-gone"],
  run: (facts) => {
    const { resolved, plugins, written, command } = facts;
    if (hasOpenCode2(facts)) return listedFor2(facts);
    if (resolved?.kind !== "resolved") return skipped("OpenCode was not asked for its config");
    const ours = plugins.filter((plugin) => plugin.isOurs);
    const [first, second] = ours;
    if (second !== undefined) {
      const entries = ours.map(({ spec, source }) => `${spec} in ${source}`);
      return found({
        code: "plugin-twice",
        severity: "error",
        what: "OpenCode loads the plugin twice.",
        cause: `It is listed as ${entries.join(" and as ")}.`,
        fix: `Take one of the two out of its "plugin" list; \`${command} setup --remove\` (with --project for the project's) does so.`,
      });
    }
    if (first !== undefined) return passed(`${first.spec} (${first.source})`);
    const [hidden] = written;
    if (hidden !== undefined) {
      return found({
        code: "plugin-shadowed",
        severity: "error",
        what: `${hidden.path} lists the plugin, but OpenCode ignores that list.`,
        cause:
          'Of config.json, opencode.json and opencode.jsonc in your config folder, only the last "plugin" list counts.',
        fix: `\`${command} setup\` puts it into the list that counts.`,
        repair: { kind: "set-up", scope: "global", spec: hidden.spec },
      });
    }
    return found({
      code: "plugin-not-listed",
      severity: "error",
      what: "OpenCode does not load the plugin.",
      cause: 'No "plugin" list that counts here names it.',
      fix: `${command} setup`,
    });
  },
};

function hasOpenCode2({ search: { found: host } }: Facts): boolean {
  return host !== null && isOpenCode2(host.version);
}

/** Checks the files alone: OpenCode 2 is not started, and reads both lists of each. */
function listedFor2({ written, command }: Facts): CheckResult {
  const [first, second] = written;
  if (first === undefined) {
    return found({
      code: "plugin-not-listed",
      severity: "error",
      what: "OpenCode does not load the plugin.",
      cause: 'No "plugin" or "plugins" list that counts here names it.',
      fix: `${command} setup`,
    });
  }
  if (second !== undefined) {
    const entries = written.map(({ spec, list, path }) => `${spec} under "${list}" in ${path}`);
    return found({
      code: "plugin-twice",
      severity: "error",
      what: "The plugin is listed twice; OpenCode 2 loads the first one, and reports an error for the second.",
      cause: `It is listed as ${entries.join(" and as ")}.`,
      fix: `Take one of the two out; \`${command} setup --remove\` (with --project for the project's) does so.`,
    });
  }
  if (first.isFile) {
    return found({
      code: "plugin-file",
      severity: "error",
      what: `OpenCode 2 doesn't load ${first.spec}.`,
      cause: `${first.path} names a file. OpenCode 1 takes one; 2 looks for the parts of a plugin at the root of a folder.`,
      fix: `\`${command} setup\` names the folder.`,
    });
  }
  return passed(`${first.spec} under "${first.list}" (${first.path})`);
}

const NOT_STARTED =
  "doctor does not start OpenCode 2: the plugin's support follows its source code, and was never run on a stable 2.x";

/** Checks that the host loads the plugin. */
export const pluginLoads: Check = {
  id: "plugin-loads",
  title: "The plugin loads",
  answeredBy: NO_PLUGIN,
  run: (facts) => {
    const { trial, importError, plugins, packages, command } = facts;
    if (hasOpenCode2(facts)) return skipped(NOT_STARTED);
    if (trial === null) return skipped("OpenCode was not started");
    if (trial.kind === "failed") {
      return found({
        code: "host-fails",
        severity: "error",
        what: "OpenCode starts, but does not work.",
        cause: [trial.reason, ...listComplaints(trial.log)].join(" "),
        fix: "Run `opencode serve --print-logs` here: its last lines say why.",
      });
    }
    if (judgeTrial(trial).isLoaded) return passed("seen in the real OpenCode");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not list it");
    if (!isPathSpec(ours.spec) && (copyInUse(ours.spec, packages)?.version ?? null) === null) {
      return found({
        code: "plugin-not-fetched",
        severity: "error",
        what: `OpenCode can't get ${ours.spec}, so it runs without the plugin.`,
        cause:
          "An entry without a path is fetched from npm. There is no such package there, or npm can't be reached.",
        fix: fromClone(facts),
      });
    }
    const complaint = importError ?? listComplaints(trial.log).join(" ");
    return found({
      code: "plugin-fails",
      severity: "error",
      what: `OpenCode can't load ${ours.spec}.`,
      cause: sentence(complaint || "OpenCode left it out and logged no reason"),
      fix: `\`${command} setup\` installs a version that works. If it is a clone, run \`npm install\` in it.`,
    });
  },
};

const MAX_COMPLAINTS = 2;

function listComplaints(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line.includes("level=ERROR"))
    .map((line) => line.replace(/^.*?message=/, ""))
    .slice(-MAX_COMPLAINTS);
}

/** Checks that the host runs this version of the plugin, and not an old cached copy. */
export const stalePackage: Check = {
  id: "stale-package",
  title: "OpenCode runs this version of the plugin",
  answeredBy: ["plugin-not-fetched"],
  run: (facts) => {
    const { packages, plugins, search } = facts;
    if (search.found === null) return skipped("there is no OpenCode");
    if (hasOpenCode2(facts)) return skipped("OpenCode 2 is not asked");
    const ours = plugins.find((plugin) => plugin.isOurs);
    const isPath = ours !== undefined && isPathSpec(ours.spec);
    if (isPath && packages.length === 0) return skipped("the config names a folder");
    const { version } = pluginManifest;
    const inUse = ours === undefined ? undefined : copyInUse(ours.spec, packages);
    const old = packages.filter(
      (cached) => cached.version === null || compareVersions(cached.version, version) < 0,
    );
    if (old.length === 0) return passed(version);
    return found(
      ...old.map((cached) => (cached === inUse ? stale(cached, facts) : leftOver(cached))),
    );
  },
};

/** Finds the host's cached copy: for a bare name it asks npm for the newest once, and keeps that. */
function copyInUse(spec: string, packages: readonly CachedPackage[]): CachedPackage | undefined {
  const fetched = spec === pluginManifest.name ? `${spec}@latest` : spec;
  return packages.find((cached) => cached.spec === fetched);
}

/** Returns a command that works whether or not npm has the package. */
function fromClone({ clonePlugin, command }: Facts): string {
  return clonePlugin === null
    ? "Clone Session Runtime, and run `npm install` and `npm run cli -- setup` in it: setup then lists the clone's folder instead."
    : `\`${command} setup\` names the plugin of this clone instead, ${clonePlugin}.`;
}

function newer(facts: Facts): string {
  return facts.clonePlugin === null ? `${facts.command} setup` : fromClone(facts);
}

function stale(cached: CachedPackage, facts: Facts): Finding {
  const { folder, spec, version } = cached;
  const isPinned = version !== null && spec.endsWith(`@${version}`);
  // A clone has the plugin itself, while fetching it again would depend on npm.
  const isFetchedAgain = !isPinned && facts.clonePlugin === null;
  return {
    code: "package-stale",
    severity: "warning",
    what:
      version === null
        ? `OpenCode's copy of the plugin in ${folder} is incomplete.`
        : `OpenCode runs version ${version} of the plugin; this is ${pluginManifest.version}.`,
    cause: `OpenCode fetched it once for "${spec}", and does not update it.`,
    fix: isFetchedAgain ? `Remove ${folder}. OpenCode fetches it again.` : newer(facts),
    ...(isFetchedAgain && { repair: { kind: "remove-cached-package", folder } }),
  };
}

function leftOver({ folder, spec, version }: CachedPackage): Finding {
  return {
    code: "package-left-over",
    severity: "note",
    what: `OpenCode's cache holds an unused ${version === null ? "incomplete copy" : `copy of version ${version}`} of the plugin.`,
    cause: `${folder} was fetched for "${spec}", which no config names any more.`,
    fix: `Remove ${folder}.`,
    repair: { kind: "remove-cached-package", folder },
  };
}

/** Checks that the terminal UI has the plugin's panel. */
export const terminalPart: Check = {
  id: "terminal-part",
  title: "The terminal UI has its panel",
  answeredBy: ["plugin-gone"],
  run: (facts) => {
    const { plugins, written, writtenTerminal, bringsTerminalPart, command } = facts;
    if (hasOpenCode2(facts)) return skipped("OpenCode 2 reads no tui.json");
    if (writtenTerminal.length > 0) return passed("tui.json lists it");
    const ours = plugins.find((plugin) => plugin.isOurs);
    if (ours === undefined) return skipped("the config does not list the plugin");
    if (!bringsTerminalPart) return skipped("the plugin is listed as a file, or has no panel");
    const inProject = written.some(({ path }) => path.includes("/.opencode/"));
    return found({
      code: "terminal-part-missing",
      severity: "note",
      what: "The terminal UI does not show the panel. Commands work without it.",
      cause: "tui.json does not list the plugin, and OpenCode loads panels from that file only.",
      fix: `\`${command} setup${inProject ? " --project" : ""}\` adds it.`,
      repair: { kind: "set-up", scope: inProject ? "project" : "global", spec: ours.spec },
    });
  },
};
