// `session-runtime export`.
import { formatCount, renderSize } from "@session-runtime/opencode/status/wording";
import { readSchemaVersion } from "@session-runtime/opencode/storage/migrations";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { schema } from "../database/schema.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { outputFile, whenThere, writeOutput } from "../terminal/output-file.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { writeSessionFile } from "../transfer/file-format.ts";

export const exportSession = dataCommand({
  name: "export",
  summary: "Write one session's runtime state to a file",
  details: [
    "It writes JSON lines: epochs, ledger, calls, prompts and briefs, as they are stored, with texts",
    "of your instructions and prompts. The conversation itself is not included: `opencode export`",
    "writes that, and Pi has a file for each session. An existing file is overwritten only if you",
    "agree, or with --force.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    out: {
      type: "string",
      alias: "o",
      description: "The file (default: SESSION.jsonl in this folder; - prints it)",
      valueHint: "file",
    },
    force: { type: "boolean", description: "Overwrite an existing file" },
  },
  examples: [
    { line: "session-runtime export ses_1a2b", does: "writes ses_1a2b….jsonl into this folder" },
    { line: "session-runtime export -o - | gzip > s.gz", does: "the newest session, compressed" },
  ],
  run: async (args, terminal, place) => {
    const { sessionId, text, rows } = await withProgress(terminal, "Reading the session", () =>
      reading(place, (driver) => {
        const session = chooseSession(driver, args.session, process.cwd());
        const found = readSessionRows(driver, schema, session.sessionId);
        const about = {
          schemaVersion: readSchemaVersion(driver),
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
    const name = args.out ?? `${sessionId}.jsonl`;
    const wish = { name, flag: "--out", whenThere: whenThere(args) } as const;
    const file = await outputFile(wish, terminal);
    writeOutput(file, text);
    const bytes = Buffer.byteLength(text);
    if (args.json === true) printJson(terminal, { sessionId, file: file.path, rows, bytes });
    else {
      const what = `${formatCount(rows)} rows of ${sessionId}, ${renderSize(bytes)}`;
      printLine(terminal, `Wrote ${file.path}: ${what}. Only you can read it.`);
    }
    return EXIT.done;
  },
});
