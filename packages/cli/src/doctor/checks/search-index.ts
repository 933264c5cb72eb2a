// Checks that the search index beside the database can be used.
import { BLOCKED_INDEX_EFFECT } from "@session-runtime/opencode/search-index/place";
import type { BadIndex } from "../facts/search-index.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

export const indexesUsable: Check = {
  id: "indexes-usable",
  title: "The search index can be used",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    if (database.badIndex === null) return passed("no fault found");
    return found(createIndexFinding(database.badIndex, command));
  },
};

function createIndexFinding({ path, fault }: BadIndex, command: string): Finding {
  switch (fault.kind) {
    case "taken":
      return {
        code: "index-place-taken",
        severity: "warning",
        what: `The search index can't be created: ${BLOCKED_INDEX_EFFECT}.`,
        cause: `${path} is ${fault.occupant}, and must be a file or not there.`,
        fix: `Move it away: mv ${path} ${path}.away`,
      };
    case "damaged":
      return {
        code: "index-damaged",
        severity: "warning",
        what: `The search index ${path} is damaged.`,
        cause:
          fault.problem === ""
            ? "SQLite can't read it as a database."
            : `SQLite finds: ${fault.problem}.`,
        fix: `\`${command} index\` creates a new one and indexes all sessions; OpenCode creates one at its next use, too.`,
      };
  }
}
