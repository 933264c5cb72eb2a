// Variables of the environment that have to name folders.
import { statSync } from "node:fs";
import type { Environment } from "../../host/places.ts";
import { systemReason } from "../../system-error.ts";

export interface WrongFolder {
  readonly variable: string;
  readonly path: string;
  readonly reason: string;
}

/** Where there is nothing yet, the host makes the folder; only of TMPDIR everybody expects it. */
const MADE_ON_DEMAND = [
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
];
const EXPECTED = "TMPDIR";

export function wrongFolders(env: Environment): readonly WrongFolder[] {
  return [...MADE_ON_DEMAND, EXPECTED].flatMap((variable) => {
    const path = env[variable];
    if (path === undefined || path === "") return [];
    const reason = whatIsWrong(path, variable === EXPECTED ? "must-exist" : "may-be-made");
    return reason === null ? [] : [{ variable, path, reason }];
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
