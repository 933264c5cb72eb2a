// Whether OpenCode is installed.
import { INSTALL_HOST } from "../../host/require-host.ts";
import type { Check } from "../check.ts";
import { found, passed } from "../finding.ts";

export const hostFound: Check = {
  id: "host-found",
  title: "OpenCode is there",
  run: ({ search }) => {
    if (search.found !== null) return passed(`${search.found.version} at ${search.found.path}`);
    const [broken] = search.broken;
    if (broken !== undefined) {
      return found({
        code: "host-broken",
        severity: "error",
        what: `${broken.path} can't be run.`,
        cause: broken.reason,
        fix: `Install it anew. ${INSTALL_HOST}`,
        repair: null,
      });
    }
    return found({
      code: "host-missing",
      severity: "error",
      what: "OpenCode was not found.",
      cause: `It is neither on PATH nor in the ${search.looked.length} usual places.`,
      fix: `${INSTALL_HOST}. If it is somewhere unusual, name it in OPENCODE_BIN.`,
      repair: null,
    });
  },
};
