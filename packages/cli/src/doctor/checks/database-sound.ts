// Whether the database is whole, and of a version that the plugin reads.
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

export const databaseSound: Check = {
  id: "database-sound",
  title: "The database is intact",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    const { path, file } = database;
    if (file === null) return passed("there is none yet; the first prompt creates it");
    const { state, reason } = file.soundness;
    switch (state) {
      case "sound":
        return passed(`${path}, every page checked`);
      case "empty":
        return passed(`${path} is empty; the first prompt fills it`);
      case "no-sqlite":
      case "not-finished":
        return skipped(reason);
      case "database-newer-schema":
        return found(
          finding(
            "database-newer",
            "error",
            `${path} was written by a newer version of Session Runtime.`,
            "The plugin that wrote it is newer than this command and the one that OpenCode runs.",
            "Update the plugin: `npx session-runtime@latest setup`, or `git pull` and `npm install` in a clone.",
          ),
        );
      case "database-older-schema":
        return found(
          finding(
            "database-older",
            "note",
            `${path} was written by an older version of Session Runtime.`,
            "It has not been opened by OpenCode since the update.",
            `OpenCode updates it at its next start. ${command} migrate does so now, and keeps a copy.`,
          ),
        );
      case "database-corrupt":
        return found(
          finding(
            "database-damaged",
            "error",
            `The database ${path} is damaged.`,
            reason === "" ? "SQLite can't read it as a database." : `SQLite finds: ${reason}.`,
            "Restart OpenCode: it moves the file aside and starts a new one; your conversations are OpenCode's own and stay. Or restore a copy of it.",
          ),
        );
      case "database-locked":
        return found(
          finding(
            "database-locked",
            "warning",
            `The database ${path} is locked.`,
            "Another process has been writing to it for over a second.",
            "Try again. If it stays locked, end the process that holds it.",
          ),
        );
      default:
        return found(
          finding(
            "database-unreadable",
            "error",
            `The database ${path} can't be read.`,
            reason || `The check says: ${state}.`,
            "Check its permissions and those of its folder.",
          ),
        );
    }
  },
};

function finding(
  code: string,
  severity: Finding["severity"],
  what: string,
  cause: string,
  fix: string,
): Finding {
  return { code, severity, what, cause, fix, repair: null };
}
