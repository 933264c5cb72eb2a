// Whether the database has a usual size.
import type { Check } from "../check.ts";
import { found, passed, skipped } from "../finding.ts";

const MIB = 1_048_576;
/** Some years of daily work; more is hardly needed. */
const LARGE_BYTES = 1_024 * MIB;

export const databaseSize: Check = {
  id: "database-size",
  title: "The database is of a reasonable size",
  answeredBy: [],
  run: ({ database, command }) => {
    if (database.file === null) return skipped("there is no database yet");
    const { sizeBytes } = database.file;
    const size = `${(sizeBytes / MIB).toFixed(1)} MB`;
    if (sizeBytes < LARGE_BYTES) return passed(size);
    return found({
      code: "database-large",
      severity: "note",
      what: `The database takes ${size}.`,
      cause: "It keeps what every session was sent, until the session is deleted or pruned.",
      fix: `${command} prune --older-than 90d shows what can go.`,
      repair: null,
    });
  },
};
