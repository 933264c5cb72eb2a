import { HOST_RANGE } from "../../host/require-host.ts";
import { compareVersions, isInRange } from "../../host/version-range.ts";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

export const hostVersion: Check = {
  id: "host-version",
  title: "Its version is supported",
  run: ({ search }) => {
    if (search.found === null) return skipped("there is no OpenCode");
    const { version } = search.found;
    if (isInRange(version, HOST_RANGE)) return passed(`${version} is in ${HOST_RANGE}`);
    const oldest = HOST_RANGE.replace(/^>=(\S+).*$/, "$1");
    const isOld = compareVersions(version, oldest) < 0;
    return found({
      code: isOld ? "host-too-old" : "host-too-new",
      severity: "error",
      what: `OpenCode ${version} does not load the plugin.`,
      cause: `The plugin needs ${HOST_RANGE}, and OpenCode keeps to that.`,
      fix: isOld ? "opencode upgrade" : "npx session-runtime@latest setup",
      repair: null,
    });
  },
};
