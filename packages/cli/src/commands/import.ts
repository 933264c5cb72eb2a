// `session-runtime import`.
import { existsSync } from "node:fs";
import { isProcessDead } from "@session-runtime/opencode/features/inbox/process-id";
import { formatCount } from "@session-runtime/opencode/status/wording";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { listSessionPlaces, readLiveLeases } from "@session-runtime/opencode/storage/session-list";
import { CliError, EXIT } from "../cli-error.ts";
import { dataCommand, reading, writing } from "../database/data-command.ts";
import type { DatabasePlace } from "../database/place.ts";
import { refuseOpen } from "../database/refuse-open.ts";
import { schema } from "../database/schema.ts";
import { typed } from "../invocation.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { readImport } from "../transfer/import-file.ts";
import { type PutResult, putSession } from "../transfer/put-session.ts";

export const importSession = dataCommand({
  name: "import",
  summary: "Read one session's runtime state from a file",
  details: [
    "It imports the whole file or nothing. A session that already exists stays as it is, unless",
    "you add --replace, for which OpenCode must be closed. The export must come from a version",
    "with the same schema.",
  ],
  args: {
    file: {
      type: "positional",
      required: true,
      description: "A file that `export` has written; - for standard input",
    },
    replace: { type: "boolean", description: "Replace the existing session" },
  },
  examples: [
    { line: "session-runtime import ses_1a2b.jsonl", does: "imports the session" },
    {
      line: "session-runtime import ses_1a2b.jsonl --replace",
      does: "replaces the existing session",
    },
  ],
  run: async (args, terminal, place) => {
    const { head, rows } = readImport(args.file);
    const { sessionId } = head;
    const { path } = place;
    const whenThere = args.replace === true ? "replace" : "keep";
    const result = await withProgress(terminal, "Importing the session", async () => {
      if (!existsSync(path)) (await openRuntimeDatabase({ path, schema })).database.close();
      if (whenThere === "replace") await refuseReplacing(place, sessionId);
      const request = { sessionId, rows, whenThere } as const;
      return writing(place, (driver) => fitting(args.file, () => putSession(driver, request)));
    });
    const done = doneOrRefused(result, sessionId);
    if (args.json === true) printJson(terminal, { sessionId, ...done });
    else {
      const how = done.kind === "put" ? "imported" : "imported, in place of the existing ones";
      printLine(terminal, `${sessionId}: ${formatCount(done.rows)} rows ${how}.`);
    }
    return EXIT.done;
  },
});

/**
 * Refuses to replace a session that may be open: an idle OpenCode holds no lease, and would continue from the
 * old data.
 */
async function refuseReplacing(place: DatabasePlace, sessionId: SessionId): Promise<void> {
  const isIdle = await reading(place, (driver) => {
    const isThere = listSessionPlaces(driver).some((session) => session.sessionId === sessionId);
    return isThere && !readLiveLeases(driver, Date.now(), isProcessDead).has(sessionId);
  });
  if (!isIdle) return;
  await refuseOpen(
    place.path,
    `Close it, then try again: it may have ${sessionId} open, and would continue from its memory.`,
  );
}

function doneOrRefused(
  result: PutResult,
  sessionId: string,
): Extract<PutResult, { readonly rows: number }> {
  switch (result.kind) {
    case "put":
    case "replaced":
      return result;
    case "exists":
      throw new CliError(
        "session-exists",
        `The session ${sessionId} is already in the database. Nothing was changed.`,
        `Replace it with --replace. To keep what is there, run \`${typed("export")}\` first.`,
      );
    case "open":
      throw new CliError(
        "session-open",
        `OpenCode has the session ${sessionId} open (${result.owner}). Nothing was changed.`,
        "Close that OpenCode, then try again.",
      );
  }
}

/** Reports a fault of the rows as one of the file, not of the database. */
async function fitting<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRows =
      error instanceof StorageError && (error.code === "failed" || error.code === "corrupt");
    if (!isRows) throw error;
    throw new CliError(
      "import-unfit",
      `${file} can't be imported: ${error.message} Nothing was changed.`,
      "Export the session again, with this version of session-runtime or an older one.",
    );
  }
}
