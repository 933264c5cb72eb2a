// Whether others can read or replace the database.
import { dirname } from "node:path";
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** Files in such a folder can be replaced by their owner alone, as in /tmp. */
const STICKY = 0o1000;

export const databasePrivate: Check = {
  id: "database-private",
  title: "Only you can read the database",
  answeredBy: [],
  run: ({ database, platform }) => {
    if (platform === "win32") return skipped("Windows has no such permissions");
    const { path, folderMode, file } = database;
    const folder = dirname(path);
    const findings: Finding[] = [];
    if (folderMode !== null && (folderMode & OTHERS_WRITE) !== 0 && (folderMode & STICKY) === 0) {
      findings.push({
        code: "data-folder-open",
        severity: "warning",
        what: `Other users of this machine can replace the files in ${folder}.`,
        cause: `Its mode is ${folderMode.toString(8)}; it holds your session data.`,
        fix: `chmod 700 ${folder}`,
        repair: { kind: "make-private", files: [], folders: [folder] },
      });
    }
    if (file !== null && (file.mode & OTHERS) !== 0) {
      const isFolderClosed = ((folderMode ?? 0) & OTHERS) === 0;
      findings.push({
        code: "database-open-to-others",
        severity: isFolderClosed ? "note" : "warning",
        what: `Other users of this machine can read ${path}, which holds parts of your conversations.`,
        cause: `Its mode is ${file.mode.toString(8)}, that of its folder ${(folderMode ?? 0).toString(8)}.`,
        fix: `chmod 600 ${path}`,
        repair: { kind: "make-private", files: [path], folders: [] },
      });
    }
    if (findings.length > 0) return found(...findings);
    return file === null
      ? skipped("there is no database yet")
      : passed(`mode ${file.mode.toString(8)}`);
  },
};
