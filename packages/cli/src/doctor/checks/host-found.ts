// Whether OpenCode is there, and starts.
import { INSTALL_HOST } from "../../host/require-host.ts";
import { sentence } from "../../sentence.ts";
import type { Check } from "../check.ts";
import { found, passed } from "../finding.ts";

export const hostFound: Check = {
  id: "host-found",
  title: "OpenCode is installed",
  answeredBy: ["folder-variable-wrong"],
  run: ({ search, env }) => {
    const named = env.OPENCODE_BIN;
    if (search.found !== null) {
      const { version, path } = search.found;
      if (named === undefined || named === "" || named === path) {
        return passed(`${version} at ${path}`);
      }
      const fault = search.broken.find((broken) => broken.path === named);
      return found({
        code: "host-named-unusable",
        severity: "note",
        what: `OPENCODE_BIN names ${named}, which does not work; ${path} is used instead.`,
        cause: fault === undefined ? "There is no program at that path." : sentence(fault.reason),
        fix: "Correct OPENCODE_BIN, or unset it.",
        repair: null,
      });
    }
    const [broken] = search.broken;
    if (broken?.fault === "hangs") {
      return found({
        code: "host-hangs",
        severity: "error",
        what: `OpenCode at ${broken.path} hangs.`,
        cause: sentence(broken.reason),
        fix: "Reinstall it (https://opencode.ai/docs): npm install -g opencode-ai",
        repair: null,
      });
    }
    if (broken !== undefined) {
      return found({
        code: "host-broken",
        severity: "error",
        what: `OpenCode at ${broken.path} does not run.`,
        cause: sentence(broken.reason),
        fix: "Reinstall it (https://opencode.ai/docs): npm install -g opencode-ai",
        repair: null,
      });
    }
    return found({
      code: "host-missing",
      severity: "error",
      what: "OpenCode was not found.",
      cause: `It is not on PATH, nor in any of the ${search.looked.length} places that were searched.`,
      fix: `${INSTALL_HOST}. If it is installed somewhere else, set OPENCODE_BIN to its path.`,
      repair: null,
    });
  },
};
