// Whether the database is sound and has this version's schema.
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

export const databaseSound: Check = {
  id: "database-sound",
  title: "The database is sound",
  run: ({ database }) => {
    if (database.kind === "absent") return passed("none yet; the first prompt makes it");
    const { path, soundness } = database;
    switch (soundness.state) {
      case "sound":
        return passed(`${path}, checked whole`);
      case "no-sqlite":
        return skipped(soundness.reason);
      case "database-newer-schema":
        return found(
          finding(
            "database-newer",
            "was written by a newer Session Runtime",
            "npx session-runtime@latest setup brings the plugin up to it.",
          ),
        );
      case "database-older-schema":
        return found({
          ...finding(
            "database-older",
            "was written by an older Session Runtime",
            "OpenCode brings it up to date at its next start; session-runtime migrate does so now, after a backup.",
          ),
          severity: "note",
        });
      case "database-corrupt":
        return found(
          finding(
            "database-damaged",
            "is damaged",
            "Start OpenCode: it moves the file aside and begins anew; conversations are OpenCode's own and stay. Or put back a copy of yours.",
          ),
        );
      case "database-locked":
        return found({
          ...finding(
            "database-locked",
            "is locked by another process",
            "Try again; if it stays so, end the process that holds it.",
          ),
          severity: "warning",
        });
      default:
        return found(
          finding(
            "database-unreadable",
            "can't be read",
            "Check its permissions, and those of its folder.",
          ),
        );
    }

    function finding(code: string, what: string, fix: string): Finding {
      const cause = soundness.reason || soundness.state;
      return {
        code,
        severity: "error",
        what: `The database ${path} ${what}.`,
        cause,
        fix,
        repair: null,
      };
    }
  },
};
