// Whether the indexes beside the database can be used.
import { type IndexName, LOST } from "../../../../plugin/src/rooms/recall/index-place.ts";
import type { BadIndex } from "../facts/indexes.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

export const indexesUsable: Check = {
  id: "indexes-usable",
  title: "What sessions have seen can be found",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    if (database.badIndexes.length === 0) return passed("nothing is wrong with the indexes");
    return found(...database.badIndexes.map((one) => findingOn(one, command)));
  },
};

const CALLED: Readonly<Record<IndexName, string>> = {
  recall: "The search index",
  commits: "The index of commits",
  vectors: "The file of vectors",
};

function findingOn({ name, path, fault }: BadIndex, command: string): Finding {
  switch (fault.kind) {
    case "taken":
      return {
        code: "index-place-taken",
        severity: "warning",
        what: `${CALLED[name]} has no place: ${LOST[name]}.`,
        cause: `${path} is ${fault.occupant}, and must be a file or not there.`,
        fix: `Move it away: mv ${path} ${path}.away`,
      };
    case "damaged":
      return {
        code: "index-damaged",
        severity: "warning",
        what: `${CALLED[name]} ${path} is damaged.`,
        cause:
          fault.problem === ""
            ? "SQLite can't read it as a database."
            : `SQLite finds: ${fault.problem}.`,
        fix:
          name === "recall"
            ? `\`${command} index\` begins a new one and indexes all sessions; OpenCode begins one at its next use, too.`
            : `Delete it: rm ${path}. OpenCode makes it again, from what there is.`,
      };
  }
}
