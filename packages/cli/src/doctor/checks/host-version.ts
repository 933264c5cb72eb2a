// Whether OpenCode's version is supported.
import { HOST_RANGE } from "../../host/require-host.ts";
import type { TestedVersion } from "../../host/tested-versions.ts";
import { compareVersions, isInRange } from "../../host/version-range.ts";
import type { Check } from "../check.ts";
import { type CheckResult, found, passed, skipped } from "../finding.ts";

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
    fix: isOld
      ? "Update OpenCode: opencode upgrade"
      : "Update the plugin: `npx session-runtime@latest setup`, or `git pull` and `npm install` in a clone.",
    repair: null,
  });
}

function untested(version: string, testedHosts: readonly TestedVersion[]): CheckResult {
  const good = testedHosts.filter(({ verdict }) => verdict === "works");
  const list = good.map((host) => host.version).join(", ");
  const known = list === "" ? "" : `; tested with ${list}`;
  return passed(`${version} is in ${HOST_RANGE}${known}`);
}

function inTable({ version, verdict, failing }: TestedVersion): CheckResult {
  if (verdict === "works") return passed(`${version}, which passed all our tests`);
  return found({
    code: "host-not-sound",
    severity: "warning",
    what: `The plugin does not work ${verdict === "partly" ? "fully " : ""}in OpenCode ${version}.`,
    cause: `Some of our tests fail with it: ${failing.join("; ")}.`,
    fix: "Update OpenCode: opencode upgrade",
    repair: null,
  });
}
