// `session-runtime estimate`.
import { existsSync } from "node:fs";
import { renderCount } from "@session-runtime/opencode/status/wording";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { listSessionPlaces } from "@session-runtime/opencode/storage/session-list";
import { mostShown } from "../amounts.ts";
import { EXIT, misuse } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import type { DatabasePlace } from "../database/place.ts";
import { type Choice, estimateSessions } from "../estimate/read-sessions.ts";
import { renderEstimates } from "../estimate/render-text.ts";
import { sumEstimates } from "../estimate/sum.ts";
import { openPage, pageFile } from "../page/write-page.ts";
import { writeOutput } from "../terminal/output-file.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

export const estimate = dataCommand({
  name: "estimate",
  summary: "Show what your past sessions would have cost with the plugin",
  details: [
    "It reads your sessions from OpenCode's own database, replays their sizes, times and uses in a",
    "simulation of OpenCode with and without the plugin, and compares that with what was paid. It",
    "calls no model, sends nothing, and works before the plugin is installed. Sessions that ran with",
    "the plugin or made fewer than ten calls are left out. Without options it takes the 50 newest",
    "sessions of all folders.",
  ],
  args: {
    session: {
      type: "string",
      description: "This session only: its id, or the beginning or end of it",
      valueHint: "id",
    },
    last: { type: "string", description: "How many sessions, newest first", valueHint: "count" },
    all: { type: "boolean", description: "All sessions" },
    here: { type: "boolean", description: "Only sessions of this folder and of those below it" },
    html: { type: "string", description: "Write a page with a picture", valueHint: "file" },
    force: { type: "boolean", description: "Overwrite an existing file" },
    open: {
      type: "boolean",
      description: "Open the page in your browser; without --html from a temporary file",
    },
  },
  examples: [
    { line: "session-runtime estimate", does: "your 50 newest sessions" },
    { line: "session-runtime estimate --here --all", does: "all sessions of this project" },
    { line: "session-runtime estimate --open", does: "a page with a picture, in your browser" },
  ],
  run: async (args, terminal, place) => {
    const choice = parseChoice(args);
    const file = await pageFile(args, "estimate", terminal);
    const withPlugin = await sessionsWithPlugin(place);
    const found = await withProgress(terminal, "Reading OpenCode's sessions", (progress) =>
      estimateSessions(terminal.env, { choice, withPlugin }, progress),
    );
    if (file !== null) {
      const { renderEstimatePage } = await import("../estimate/page/page.ts");
      writeOutput(file, renderEstimatePage(found, Date.now()));
    }
    const result = { sum: sumEstimates(found.sessions), ...found };
    if (args.json === true) printJson(terminal, file ? { ...result, html: file.path } : result);
    else if (file)
      printLine(terminal, `${file.path} shows ${renderCount(found.sessions.length, "session")}.`);
    else printLine(terminal, renderEstimates(found, terminal.style));
    if (file && args.open === true) await openPage(file.path, terminal.env);
    return EXIT.done;
  },
});

const USUAL_COUNT = "50";

function parseChoice({
  session,
  last,
  all,
  here,
}: {
  readonly session?: string | undefined;
  readonly last?: string | undefined;
  readonly all?: boolean | undefined;
  readonly here?: boolean | undefined;
}): Choice {
  const advice = "Leave out one of the two.";
  if (session !== undefined) {
    const other = [last && "--last", all && "--all", here && "--here"].find((flag) => flag);
    if (other) throw misuse(`--session can't be used with ${other}.`, advice);
    return { kind: "named", word: session };
  }
  if (all === true && last !== undefined) throw misuse("--all can't be used with --last.", advice);
  const most = all === true ? Number.POSITIVE_INFINITY : mostShown(last ?? USUAL_COUNT, "--last");
  return { kind: "newest", most, folder: here === true ? process.cwd() : null };
}

/** Returns the sessions with the plugin; none before its first use. */
async function sessionsWithPlugin(place: DatabasePlace): Promise<ReadonlySet<SessionId>> {
  if (!existsSync(place.path)) return new Set();
  const places = await reading(place, listSessionPlaces);
  return new Set(places.map(({ sessionId }) => sessionId));
}
