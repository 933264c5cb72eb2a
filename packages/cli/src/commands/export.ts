// `session-runtime export`.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { count, size } from "../../../plugin/src/status/wording.ts";
import { schemaVersion } from "../../../plugin/src/storage/migrations.ts";
import { readSessionRows } from "../../../plugin/src/storage/session-rows.ts";
import { CliError, EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { schema } from "../database/schema.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { codeOf } from "../system-error.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { writeSessionFile } from "../transfer/file-format.ts";

export const exportSession = dataCommand({
  name: "export",
  summary: "Write one session's runtime state to a file",
  details: [
    "JSON lines: epochs, ledger, calls, prompts and briefs, as they are stored. They hold texts",
    "of your instructions and prompts. The conversation itself is the host's: `opencode export`",
    "writes that.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    out: {
      type: "string",
      alias: "o",
      description: "The file (default: SESSION.jsonl here; - prints it)",
      valueHint: "file",
    },
    force: { type: "boolean", description: "Overwrite an existing file" },
  },
  examples: [
    { line: "session-runtime export ses_1a2b", does: "writes ses_1a2b….jsonl" },
    { line: "session-runtime export -o - | gzip > s.gz", does: "the newest session, compressed" },
  ],
  run: async (args, terminal, place) => {
    const { sessionId, text, rows } = await withProgress(terminal, "Reading the session", () =>
      reading(place, (driver) => {
        const session = chooseSession(driver, args.session, process.cwd());
        const found = readSessionRows(driver, schema, session.sessionId);
        const about = {
          schemaVersion: schemaVersion(driver),
          sessionId: session.sessionId,
          exportedAtMs: Date.now(),
        };
        return {
          sessionId: session.sessionId,
          rows: found.length,
          text: writeSessionFile(found, about),
        };
      }),
    );
    if (args.out === "-") {
      terminal.out.write(text);
      return EXIT.done;
    }
    const file = resolve(args.out ?? `${sessionId}.jsonl`);
    writeNew(file, text, args.force === true ? "w" : "wx");
    const bytes = Buffer.byteLength(text);
    if (args.json === true) printJson(terminal, { sessionId, file, rows, bytes });
    else printLine(terminal, `${file}: ${count(rows)} rows of ${sessionId}, ${size(bytes)}.`);
    return EXIT.done;
  },
});

/** For the owner alone, as the database is. */
function writeNew(file: string, text: string, flag: "w" | "wx"): void {
  try {
    writeFileSync(file, text, { flag, mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      throw new CliError(
        "file-exists",
        `${file} already exists.`,
        "Overwrite it with --force, or name another file with --out.",
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      "file-unwritable",
      `The export can't be written: ${reason}.`,
      "With --out, name a file in a folder that exists and that you can write to.",
    );
  }
}
