// Whether others may read the database.
import { dirname } from "node:path";
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

const OTHERS = 0o077;

export const databasePrivate: Check = {
  id: "database-private",
  title: "Nobody else can read it",
  run: ({ database, platform }) => {
    if (database.kind === "absent") return skipped("there is none yet");
    if (platform === "win32") return skipped("Windows has no such permissions");
    const { path, fileMode, folderMode } = database;
    const isOpen = (fileMode & OTHERS) !== 0;
    if (!isOpen) return passed(`mode ${fileMode.toString(8)}`);
    const isFolderClosed = (folderMode & OTHERS) === 0;
    return found({
      code: "database-open-to-others",
      severity: isFolderClosed ? "note" : "warning",
      what: `Others on this machine may read ${path}, which holds parts of your conversations.`,
      cause: `Its mode is ${fileMode.toString(8)}, that of ${dirname(path)} ${folderMode.toString(8)}.`,
      fix: `chmod 600 ${path}`,
      repair: { kind: "make-private", paths: [path] },
    });
  },
};
