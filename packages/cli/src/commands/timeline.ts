// `session-runtime timeline`.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { count } from "../../../plugin/src/status/wording.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { overviewStore } from "../../../plugin/src/storage/overview-store.ts";
import { CliError } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { EXIT } from "../exit-codes.ts";
import { hostTitles } from "../host-history/titles.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";
import { type Timeline, timelineOf } from "../timeline/model.ts";
import { renderTimeline } from "../timeline/render-text.ts";

export const timeline = dataCommand({
  name: "timeline",
  summary: "Show a session's cache bill, busts and epochs over time",
  details: [
    "On the terminal a bar for each call. With --html a page of its own with charts and a",
    "table, which fetches nothing and can be opened anywhere.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    html: { type: "string", description: "Write a page with charts", valueHint: "file" },
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
  ],
  run: async (args, terminal, place) => {
    const shownCalls = shownOf(args.calls);
    const found = await withProgress(terminal, "Reading the session", () =>
      reading(place, (driver) => readTimeline(driver, args.session, shownCalls, terminal)),
    );
    if (args.html !== undefined) {
      const file = await writePage(args.html, found);
      if (args.json === true) printJson(terminal, { ...found, html: file });
      else printLine(terminal, `${file} shows ${count(found.calls.length)} calls.`);
    } else if (args.json === true) printJson(terminal, found);
    else printLine(terminal, renderTimeline(found, terminal.style));
    return EXIT.done;
  },
});

/** More than any session has. */
const ALL = 1_000_000;

function shownOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) || ALL;
  throw new CliError("usage", `--calls is not a number: "${text}".`, "0 shows all.", EXIT.usage);
}

async function readTimeline(
  driver: Driver,
  word: string | undefined,
  shownCalls: number,
  { env }: Terminal,
): Promise<Timeline> {
  const { sessionId } = chooseSession(driver, word, process.cwd());
  const overview = overviewStore(driver).of(sessionId, ALL);
  const title = (await hostTitles(env)).get(sessionId) ?? null;
  return timelineOf({ sessionId, title, atMs: Date.now(), overview, shownCalls });
}

async function writePage(name: string, found: Timeline): Promise<string> {
  const [{ renderTimelinePage }, { pageScript }] = await Promise.all([
    import("../timeline/page/page.ts"),
    import("../timeline/page-script.ts"),
  ]);
  const file = resolve(name);
  const page = renderTimelinePage(found, pageScript());
  try {
    writeFileSync(file, page);
    return file;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      "page-unwritable",
      `The page can't be written: ${reason}.`,
      "Name a file in a folder that is there and yours, by --html.",
      EXIT.failed,
    );
  }
}
