// Shows a status again whenever it changes.
import { statSync } from "node:fs";
import type { SessionStatus } from "@session-runtime/opencode/status/model";
import { renderStatus } from "@session-runtime/opencode/status/render";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openForReading } from "@session-runtime/opencode/storage/open-existing";
import { EXIT, type ExitCode } from "../cli-error.ts";
import type { DatabasePlace } from "../database/place.ts";
import { missingDatabase } from "../database/refusal.ts";
import { schema } from "../database/schema.ts";
import { printJsonLine, type Terminal } from "../terminal/terminal.ts";
import { dressReport } from "./dress-report.ts";

const LOOK_EVERY_MS = 500;
/** Redraws times such as "5 s ago", which change without new data. */
const REDRAW_EVERY_MS = 2_000;

const CLEAR_SCREEN = "\x1b[2J";
const HOME = "\x1b[H";
const CLEAR_LINE_END = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";

interface WatchedFile {
  readonly read: (driver: Driver) => SessionStatus;
  readonly form: "report" | "json";
}

/** Shows the status, and again whenever it changes, until a signal ends it. */
export async function watchStatus(
  terminal: Terminal,
  { path }: DatabasePlace,
  { read, form }: WatchedFile,
): Promise<ExitCode> {
  const show = form === "json" ? lines(terminal) : screen(terminal);
  const breakOff = untilBrokenOff();
  let open: OpenFile | null = null;
  let shownAtMs = 0;
  let version: unknown = null;
  try {
    do {
      open = await sameFile(path, open);
      const current = open.driver.get("PRAGMA data_version")?.data_version;
      const isNew = version === null || current !== version || open.isNew;
      const isOld = form === "report" && Date.now() - shownAtMs >= REDRAW_EVERY_MS;
      if (isNew || isOld) {
        version = current;
        shownAtMs = Date.now();
        show(read(open.driver));
      }
    } while (!(await breakOff.within(LOOK_EVERY_MS)));
    return EXIT.done;
  } finally {
    open?.driver.close();
  }
}

interface OpenFile {
  readonly driver: Driver;
  readonly file: number;
  readonly isNew: boolean;
}

/** Reopens the database where its file was replaced, as when a damaged one was moved aside. */
async function sameFile(path: string, open: OpenFile | null): Promise<OpenFile> {
  const file = statSync(path, { throwIfNoEntry: false })?.ino;
  if (open && open.file === file) return { ...open, isNew: false };
  open?.driver.close();
  if (file === undefined) throw missingDatabase(path);
  return { driver: await openForReading(path, schema), file, isNew: true };
}

/** Draws the report in place on a terminal; on a pipe, one report follows the other. */
function screen(terminal: Terminal): (status: SessionStatus) => void {
  let isFirst = true;
  return (status) => {
    const report = dressReport(renderStatus(status), terminal.style);
    if (terminal.out.isTTY !== true) {
      terminal.out.write(isFirst ? `${report}\n` : `\n${report}\n`);
    } else {
      const fitted = fit(report.split("\n"), (terminal.out.rows ?? 24) - 1);
      const text = fitted.map((line) => `${line}${CLEAR_LINE_END}\n`).join("");
      terminal.out.write(`${isFirst ? CLEAR_SCREEN : ""}${HOME}${text}${CLEAR_BELOW}`);
    }
    isFirst = false;
  };
}

/** Cuts the report to the window's height: a longer one would scroll, and could not be redrawn in place. */
function fit(report: readonly string[], rows: number): readonly string[] {
  if (report.length <= rows) return report;
  const hidden = report.length - rows + 1;
  return [...report.slice(0, rows - 1), `… ${hidden} more lines: make the window taller`];
}

function lines(terminal: Terminal): (status: SessionStatus) => void {
  return (status) => printJsonLine(terminal, status);
}

/**
 * Waits for Ctrl-C, which ends a watch without a failure, after the database is closed. The handlers stay until the
 * process ends: one that was restarted under Bun gets the signal twice, from the terminal and from its parent.
 */
function untilBrokenOff() {
  let wake: (() => void) | null = null;
  let isBrokenOff = false;
  const stop = () => {
    isBrokenOff = true;
    wake?.();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    within: (ms: number) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => wake?.(), isBrokenOff ? 0 : ms);
        wake = () => {
          clearTimeout(timer);
          wake = null;
          resolve(isBrokenOff);
        };
      }),
  };
}
