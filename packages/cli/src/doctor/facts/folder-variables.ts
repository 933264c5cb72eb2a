// Checks the environment variables that must name folders.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Environment } from "../../host/places.ts";
import { systemReason } from "../../system-error.ts";

export interface WrongFolder {
  readonly variable: string;
  readonly path: string;
  readonly reason: string;
  /** `relative`: the host resolves it from the folder where it is started, and the runtime ignores it. */
  readonly fault: "no-folder" | "relative";
}

/** Lists variables whose folder the host creates if it is missing; only TMPDIR's must exist. */
const MADE_ON_DEMAND = [
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
];
const EXPECTED = "TMPDIR";

export function wrongFolders(env: Environment): readonly WrongFolder[] {
  return [...MADE_ON_DEMAND, EXPECTED].flatMap((variable): readonly WrongFolder[] => {
    const path = env[variable];
    if (path === undefined || path === "") return [];
    if (!isAbsolute(path)) {
      const reason = "it is a relative path, which means a different folder in every directory";
      return [{ variable, path, reason, fault: "relative" }];
    }
    const reason = whatIsWrong(path, variable === EXPECTED ? "must-exist" : "may-be-made");
    return reason === null ? [] : [{ variable, path, reason, fault: "no-folder" }];
  });
}

function whatIsWrong(path: string, need: "must-exist" | "may-be-made"): string | null {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return need === "must-exist" ? "it does not exist" : null;
    return status.isDirectory() ? null : "it is a file, not a folder";
  } catch (error) {
    const reason = systemReason(error);
    if (reason === null) throw error;
    return reason;
  }
}
