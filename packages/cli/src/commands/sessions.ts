// `session-runtime sessions`.
import { formatDollars, readMoney } from "@session-runtime/opencode/status/money";
import {
  cutText,
  formatAgo,
  formatCount,
  makeStringsVisible,
  makeVisible,
  renderPercent,
} from "@session-runtime/opencode/status/wording";
import { listSessions, type SessionListing } from "@session-runtime/opencode/storage/session-list";
import { mostShown } from "../amounts.ts";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { readTitles } from "../sessions/titles.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";

export const sessions = dataCommand({
  name: "sessions",
  summary: "List the sessions that Session Runtime knows",
  details: [
    "It lists the most recently active first, with their titles where OpenCode's and Pi's own",
    "sessions can be read. Cache busts include neither new epochs nor rewrites of old history.",
    "A narrow terminal shows the end of each id, which is enough to name a session.",
  ],
  args: {
    limit: {
      type: "string",
      alias: "n",
      default: "20",
      description: "How many; 0 for all",
      valueHint: "count",
    },
    here: { type: "boolean", description: "Only those of this folder" },
  },
  examples: [
    { line: "session-runtime sessions", does: "the twenty most recently active" },
    { line: "session-runtime sessions --here -n 0", does: "all of this folder" },
  ],
  run: async (args, terminal, place) => {
    const limit = mostShown(args.limit, "--limit");
    const all = await reading(place, listSessions);
    const found = args.here === true ? all.filter(isHere) : all;
    const shown = found.slice(0, limit);
    const titles = await readTitles(
      terminal.env,
      shown.map(({ sessionId }) => sessionId),
    );
    if (args.json === true) {
      const withTitles = shown.map((line) => ({
        ...line,
        title: titles.get(line.sessionId) ?? null,
      }));
      printJson(terminal, { sessions: withTitles, total: found.length });
    } else
      printLine(
        terminal,
        renderSessions(makeStringsVisible(shown), found.length, titles, terminal),
      );
    return EXIT.done;
  },
});

function isHere({ directory }: SessionListing): boolean {
  return directory === process.cwd();
}

const FIGURES: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "active", align: "left" },
  { title: "calls", align: "right" },
  { title: "read", align: "right" },
  { title: "paid", align: "right" },
  { title: "saved", align: "right" },
  { title: "busts", align: "right" },
  { title: "new epochs", align: "right" },
];
const NAME: Column = { title: "title, folder", align: "left" };

export function renderSessions(
  lines: readonly SessionListing[],
  total: number,
  titles: ReadonlyMap<string, string>,
  { out, style, columns }: Pick<Terminal, "out" | "style" | "columns">,
): string {
  if (total === 0)
    return "No sessions yet. A session is listed from its first call with the plugin.";
  const nowMs = Date.now();
  const isNarrow = out.isTTY === true && columns < WIDE;
  const rows = lines.map((line) => [
    isNarrow ? `…${line.sessionId.slice(-SHORT_ID)}` : line.sessionId,
    formatAgo(line.activeAtMs, nowMs),
    formatCount(line.calls),
    renderPercent(readShare(line)),
    ...moneyCells(line),
    line.busts === 0 ? "0" : style.warn(formatCount(line.busts)),
    formatCount(Math.max(0, line.epochs - 1)),
  ]);
  const names = lines.map((line) => describeSession(line, titles));
  const hidden = total - lines.length;
  const more = hidden === 0 ? "" : style.dim(`\n${formatCount(hidden)} more: --limit 0 shows all.`);
  if (isNarrow) return withNamesBelow(renderTable(FIGURES, rows), names, columns) + more;
  // A pipe has no width.
  const nameWidth = out.isTTY === true ? columns - WITHOUT_NAMES : Number.POSITIVE_INFINITY;
  const whole = rows.map((row, index) => [...row, cutText(names[index] ?? "", nameWidth)]);
  return renderTable([...FIGURES, NAME], whole) + more;
}

/** The width of a row without the name. */
const WITHOUT_NAMES = 96;
/** A narrower terminal has no space for names beside the figures. */
const WIDE = WITHOUT_NAMES + 24;
/** The number of characters shown of an id's end. */
const SHORT_ID = 12;

function withNamesBelow(table: string, names: readonly string[], columns: number): string {
  const rows = table.split("\n");
  const first = rows.length - names.length;
  return rows
    .flatMap((row, index) => {
      const name = names[index - first];
      return name === undefined ? [row] : [row, cutText(`  ${name}`, columns)];
    })
    .join("\n");
}

function moneyCells({ bill }: SessionListing): readonly string[] {
  const { paidUsd, savedUsd } = readMoney(bill);
  return [paidUsd, savedUsd].map((usd) => (usd === null ? "–" : formatDollars(usd)));
}

function describeSession(line: SessionListing, titles: ReadonlyMap<string, string>) {
  const { sessionId, harness, directory } = line;
  return [harness, titles.get(sessionId), directory]
    .filter((text) => text !== undefined && text !== null)
    .map(makeVisible)
    .join(", ");
}

function readShare({ usage }: SessionListing): number | null {
  const all = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return all === 0 ? null : usage.cacheReadTokens / all;
}
