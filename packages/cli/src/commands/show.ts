import { readCall } from "../../../plugin/src/status/cache.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { overviewStore } from "../../../plugin/src/storage/overview-store.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";
import { CliError } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { EXIT } from "../exit-codes.ts";
import { messagesIn } from "../host-history/messages.ts";
import { closeHostHistory, type HostHistory, openHostHistory } from "../host-history/open.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { readWire } from "../wire/read-wire.ts";
import { type NumberedCall, renderCalls } from "../wire/render-calls.ts";
import { renderWire } from "../wire/render-wire.ts";

const LISTED_CALLS = 40;

export const show = dataCommand({
  name: "show",
  summary: "Show what a call to the model was made of",
  details: [
    "With --wire: layer by layer, with the edits that shaped it. The Baseline and all edits",
    "are stored by the runtime; the messages are the host's, and are read from its database",
    "where that is there. The host's tools and the agent's own prompt are known by digest only.",
    "Without --wire: the session's calls, a line each.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    wire: { type: "boolean", description: "Show one call, layer by layer" },
    call: {
      type: "string",
      alias: "c",
      description: "Which call, counted from 1 (default: the newest)",
      valueHint: "number",
    },
    texts: { type: "boolean", description: "With the texts of Baseline, updates and reminders" },
  },
  examples: [
    { line: "session-runtime show", does: "the newest calls of this folder's session" },
    { line: "session-runtime show ses_1a2b --wire", does: "what its newest call was made of" },
    { line: "session-runtime show ses_1a2b --wire --call 12 --texts", does: "one call, in full" },
  ],
  run: async (args, terminal, place) => {
    const number = numberOf(args.call);
    const isWire = args.wire === true || number !== null || args.texts === true;
    return reading(place, async (driver) => {
      const { sessionId } = chooseSession(driver, args.session, process.cwd());
      if (!isWire) {
        const calls = callsOf(driver, sessionId, args.json === true ? ALL_CALLS : LISTED_CALLS);
        if (args.json === true) printJson(terminal, { sessionId, calls });
        else printLine(terminal, listed(calls, sessionId, terminal.style));
        return EXIT.done;
      }
      const history = await openHostHistory(terminal.env);
      try {
        const rows = messagesIn(history, sessionId);
        const wire = readWire(driver, place.path, { sessionId, number, rows });
        if (args.json === true) {
          printJson(terminal, { ...wire, hostRows: history.kind });
          return EXIT.done;
        }
        const texts = args.texts === true ? "full" : "sizes";
        const view = { style: terminal.style, nowMs: Date.now(), texts } as const;
        printLine(terminal, renderWire(wire, { ...view, rowsMissing: missingReason(history) }));
        return EXIT.done;
      } finally {
        closeHostHistory(history);
      }
    });
  },
});

const ALL_CALLS = 1_000_000;

function missingReason(history: HostHistory): string | null {
  return history.kind === "open" ? null : `${history.path}: ${history.reason}`;
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new CliError(
    "usage",
    `--call is no number: "${text}".`,
    "`session-runtime show` lists the calls with their numbers.",
    EXIT.usage,
  );
}

function callsOf(driver: Driver, sessionId: SessionId, limit: number): readonly NumberedCall[] {
  const { calls, epochs } = overviewStore(driver).of(sessionId, limit);
  const numbers = new Map(epochs.map(({ seq }, index) => [seq, index + 1]));
  return calls.map((call) => ({ number: call.seq, ...readCall(call, numbers) })).toReversed();
}

function listed(
  calls: readonly NumberedCall[],
  sessionId: SessionId,
  style: Parameters<typeof renderCalls>[1],
): string {
  if (calls.length === 0) return `${sessionId} has made no call yet.`;
  const [first] = calls;
  const hidden = (first?.number ?? 1) - 1;
  const older = hidden > 0 ? `; ${hidden} older not shown (--json has all)` : "";
  return [
    `${style.bold(sessionId)}${older}`,
    "",
    renderCalls(calls, style, Date.now()),
    "",
    style.dim("One of them, layer by layer: session-runtime show --wire --call <number>"),
  ].join("\n");
}
