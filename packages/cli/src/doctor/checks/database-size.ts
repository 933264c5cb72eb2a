// Whether the database is large.
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

const MIB = 1_048_576;
/** Some years of daily work; more is hardly needed. */
const LARGE_BYTES = 1_024 * MIB;

export const databaseSize: Check = {
  id: "database-size",
  title: "It has a sane size",
  run: ({ database }) => {
    if (database.kind === "absent") return skipped("there is none yet");
    const size = `${(database.sizeBytes / MIB).toFixed(1)} MB`;
    if (database.sizeBytes < LARGE_BYTES) return passed(size);
    return found({
      code: "database-large",
      severity: "note",
      what: `The database has ${size}.`,
      cause: "It keeps what every session was sent, until the session is deleted.",
      fix: "session-runtime prune shows what could go.",
      repair: null,
    });
  },
};
