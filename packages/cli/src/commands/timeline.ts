// `session-runtime timeline`.
import { createHistoryReader } from "@session-runtime/opencode/features/history/rewrite-status";
import { renderCount } from "@session-runtime/opencode/status/wording";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { createOverviewStore } from "@session-runtime/opencode/storage/overview-store";
import type { SessionPlace } from "@session-runtime/opencode/storage/session-list";
import { mostShown } from "../amounts.ts";
import { EXIT, misuse } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { openPage, pageFile } from "../page/write-page.ts";
import { chooseSession, SESSION_ARGUMENT, sessionsBelow } from "../sessions/choose-session.ts";
import { readTitles } from "../sessions/titles.ts";
import { writeOutput } from "../terminal/output-file.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";
import { readSessionExtras } from "../timeline/beside.ts";
import { buildTimeline, type Timeline } from "../timeline/model.ts";
import { pageScript } from "../timeline/page-script.ts";
import { renderTimeline } from "../timeline/render-text.ts";

export const timeline = dataCommand({
  name: "timeline",
  summary: "Show a session's cache bill, busts, epochs and rewrites over time",
  details: [
    "It prints a bar for each call. With --html it writes a page with charts and a",
    "table, which fetches nothing and can be opened anywhere. An existing file is overwritten",
    "only if you agree, or with --force.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    html: { type: "string", description: "Write a page with charts", valueHint: "file" },
    force: { type: "boolean", description: "Overwrite an existing file" },
    open: {
      type: "boolean",
      description: "Open the page in your browser; without --html from a temporary file",
    },
    all: { type: "boolean", description: "All sessions of this folder and of those below it" },
    calls: {
      type: "string",
      alias: "n",
      default: "400",
      description: "How many of the newest calls of a long session; 0 for all",
      valueHint: "count",
    },
  },
  examples: [
    { line: "session-runtime timeline", does: "the newest session of this folder" },
    {
      line: "session-runtime timeline ses_1a2b --html bill.html",
      does: "a page to open in a browser",
    },
    {
      line: "session-runtime timeline --all --open",
      does: "this project's sessions, in a browser",
    },
  ],
  run: async (args, terminal, place) => {
    const shownCalls = mostShown(args.calls, "--calls");
    if (args.all === true && args.session !== undefined) {
      const advice = "Leave out one of the two.";
      throw misuse("--all can't be used with a session.", advice);
    }
    // The file is checked before the session is read, so that a refusal comes at once.
    const file = await pageFile(args, "timeline", terminal);
    const found = await withProgress(terminal, "Reading the session", () =>
      reading(place, (driver) => {
        const chosen: ChosenSession =
          args.all === true
            ? sessionsBelow(driver, process.cwd())
            : [chooseSession(driver, args.session, process.cwd())];
        return readTimelines(driver, chosen, shownCalls, terminal);
      }),
    );
    if (file !== null) writeOutput(file, await renderPage(found));
    const result = args.all === true ? { sessions: found } : found[0];
    if (args.json === true) printJson(terminal, file ? { ...result, html: file.path } : result);
    else if (file) printLine(terminal, describeSavedPage(file.path, found));
    else
      printLine(terminal, found.map((each) => renderTimeline(each, terminal.style)).join("\n\n"));
    if (file && args.open === true) await openPage(file.path, terminal.env);
    return EXIT.done;
  },
});

type ChosenSession = readonly [SessionPlace, ...SessionPlace[]];
type FoundTimelines = readonly [Timeline, ...Timeline[]];

function describeSavedPage(path: string, found: FoundTimelines): string {
  const calls = found.reduce((all, each) => all + each.calls.length, 0);
  const of = found.length === 1 ? "" : ` of ${renderCount(found.length, "session")}`;
  return `${path} shows ${renderCount(calls, "call")}${of}.`;
}

/** Exceeds the calls of any session. */
const ALL = 1_000_000;

async function readTimelines(
  driver: Driver,
  [first, ...others]: ChosenSession,
  shownCalls: number,
  { env }: Terminal,
): Promise<FoundTimelines> {
  const titles = await readTitles(
    env,
    [first, ...others].map(({ sessionId }) => sessionId),
  );
  const store = createOverviewStore(driver);
  const readHistory = createHistoryReader(driver);
  const atMs = Date.now();
  const read = ({ sessionId, harness }: SessionPlace) => {
    const overview = store.of(sessionId, ALL);
    const title = titles.get(sessionId) ?? harness;
    const history = readHistory(sessionId, null);
    const beside = readSessionExtras(driver, sessionId);
    return buildTimeline({ sessionId, title, atMs, overview, history, beside, shownCalls });
  };
  return [read(first), ...others.map(read)];
}

async function renderPage(found: FoundTimelines): Promise<string> {
  const { renderTimelinePage } = await import("../timeline/page/page.ts");
  return renderTimelinePage(found, process.cwd(), pageScript());
}
