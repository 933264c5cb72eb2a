// Checks that the search index beside the database can be used.
import { LOST } from "../../../../plugin/src/search-index/place.ts";
import type { BadIndex } from "../facts/search-index.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

export const indexesUsable: Check = {
  id: "indexes-usable",
  title: "What sessions have seen can be found",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    if (database.badIndex === null) return passed("nothing is wrong with the search index");
    return found(createIndexFinding(database.badIndex, command));
  },
};

function createIndexFinding({ path, fault }: BadIndex, command: string): Finding {
  switch (fault.kind) {
    case "taken":
      return {
        code: "index-place-taken",
        severity: "warning",
        what: `The search index has no place: ${LOST}.`,
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
        fix: `\`${command} index\` begins a new one and indexes all sessions; OpenCode begins one at its next use, too.`,
      };
  }
}
