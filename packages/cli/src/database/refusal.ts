// Explains what is wrong with a database, and what to do.
import { explainRecovery } from "@session-runtime/opencode/status/way-back";
import type { StorageError, StorageErrorCode } from "@session-runtime/opencode/storage/errors";
import { CliError, EXIT } from "../cli-error.ts";
import { typed, updating } from "../invocation.ts";

/** Explains SQLite's or the schema's error, with what to do here and now. */
export function refusal(error: StorageError, path: string): CliError {
  const code = `database-${error.code.replaceAll("_", "-")}`;
  return new CliError(code, `The database ${path} ${SAID[error.code]}.`, formatAdvice(error, path));
}

export function missingDatabase(path: string): CliError {
  return new CliError(
    "database-missing",
    `There is no database at ${path}.`,
    `OpenCode or Pi creates it at the first prompt with Session Runtime; \`${typed("doctor")}\` finds out what prevents that. If it is somewhere else, name it with --db.`,
    EXIT.missing,
  );
}

/** Holds a sentence about the database for each error code. */
const SAID: Readonly<Record<StorageErrorCode, string>> = {
  locked: "is locked by another process",
  read_only: "can't be written",
  full: "can't grow: the disk is full",
  corrupt: "is damaged",
  newer_schema: "was written by a newer Session Runtime",
  older_schema: "was written by an older Session Runtime",
  development_schema: "was written by a development version of Session Runtime",
  unopenable: "can't be opened",
  gone: "was moved or deleted while it was in use",
  failed: "refused an operation",
};

function formatAdvice(error: StorageError, path: string): string {
  switch (error.code) {
    case "locked":
      return "Try again in a few seconds. If it stays locked, end the process that holds it.";
    case "read_only":
      return "Make the file and its folder writable for you, or work on a copy with --db.";
    case "full":
      return "Free some space; nothing was lost.";
    case "corrupt":
      return `\`${typed("doctor")}\` checks the whole file. OpenCode or Pi moves it aside at its next start, and creates a new one. Your conversations are not in it, and stay. ${explainRecovery(path)}`;
    case "newer_schema":
      return updating();
    case "older_schema":
      return `\`${typed("migrate")}\` backs it up and updates it. OpenCode and Pi also update it when they next start.`;
    case "development_schema":
      return `\`${typed("migrate")}\` moves it aside, creates a new one, and copies memories, notes and queued prompts to it. OpenCode and Pi do the same when they next start.`;
    case "gone":
      return "Put it back, or run the command again.";
    case "unopenable":
    case "failed":
      return describeDetail(error);
  }
}

/** Returns SQLite's own message, which we can't improve. */
function describeDetail(error: StorageError): string {
  const { cause } = error;
  return cause instanceof Error ? `SQLite says: ${cause.message}` : error.message;
}
