// `session-runtime show`: a session's calls, or one of them layer by layer.
// Folder: The subcommands, one per file.
import { numberEpochs, readCall } from "@session-runtime/opencode/status/cache";
import { makeStringsVisible } from "@session-runtime/opencode/status/wording";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { createOverviewStore } from "@session-runtime/opencode/storage/overview-store";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { EXIT, misuse } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import type { DatabasePlace } from "../database/place.ts";
import { messagesIn } from "../host-history/messages.ts";
import { readHostHistory } from "../host-history/open.ts";
import { typed } from "../invocation.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";
import { readWire } from "../wire/read-wire.ts";
import { type NumberedCall, renderCalls } from "../wire/render-calls.ts";
import { renderWire } from "../wire/render-wire.ts";

const MAX_LISTED_CALLS = 40;

export const show = dataCommand({
  name: "show",
  summary: "Show what a call to the model was made of",
  details: [
    "With --wire it shows one call, layer by layer, with the edits that shaped it. The Baseline and all edits",
    "are stored by the plugin; the messages are read from OpenCode's database if",
    "it exists. Of OpenCode's tools and the agent's own prompt only digests are stored.",
    "Without --wire it lists the session's calls, a line each.",
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
    texts: { type: "boolean", description: "Include the texts of Baseline, updates and reminders" },
  },
  examples: [
    { line: "session-runtime show", does: "the newest calls of this folder's session" },
    { line: "session-runtime show ses_1a2b --wire", does: "what its newest call was made of" },
    { line: "session-runtime show ses_1a2b --wire --call 12 --texts", does: "one call, in full" },
  ],
  run: async (args, terminal, place) => {
    const number = parseCallNumber(args.call);
    const isWire = args.wire === true || number !== null || args.texts === true;
    const texts = args.texts === true ? "full" : "sizes";
    const form = args.json === true ? "json" : "text";
    // The output must not share a line with the progress.
    const print = await withProgress(terminal, "Reading the session", () =>
      reading(place, (driver) => {
        const { sessionId } = chooseSession(driver, args.session, process.cwd());
        return isWire
          ? readForWire(driver, { sessionId, number, texts, form }, place, terminal)
          : readForCalls(driver, sessionId, form, terminal);
      }),
    );
    print();
    return EXIT.done;
  },
});

type Print = () => void;
type Form = "text" | "json";

interface WireWish {
  readonly sessionId: SessionId;
  readonly number: number | null;
  readonly texts: "full" | "sizes";
  readonly form: Form;
}

async function readForWire(
  driver: Driver,
  { sessionId, number, texts, form }: WireWish,
  { path }: DatabasePlace,
  terminal: Terminal,
): Promise<Print> {
  const found = await readHostHistory(terminal.env, (host) => messagesIn(host, sessionId));
  const rows = found.kind === "read" ? found.value : null;
  const wire = readWire(driver, path, { sessionId, number, rows });
  if (form === "json") return () => printJson(terminal, { ...wire, hostRows: found.kind });
  const rowsMissing = found.kind === "read" ? null : `${found.path}: ${found.reason}`;
  const view = { style: terminal.style, nowMs: Date.now(), texts, rowsMissing } as const;
  return () => printLine(terminal, renderWire(makeStringsVisible(wire), view));
}

function readForCalls(driver: Driver, sessionId: SessionId, form: Form, terminal: Terminal): Print {
  const calls = readCalls(driver, sessionId, form === "json" ? ALL_CALLS : MAX_LISTED_CALLS);
  if (form === "json") return () => printJson(terminal, { sessionId, calls });
  return () => printLine(terminal, listed(makeStringsVisible(calls), sessionId, terminal.style));
}

const ALL_CALLS = 1_000_000;

function parseCallNumber(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw misuse(
    `--call needs a call's number, not "${text}".`,
    `\`${typed("show")}\` lists the calls with their numbers.`,
  );
}

function readCalls(driver: Driver, sessionId: SessionId, limit: number): readonly NumberedCall[] {
  const { calls, epochs } = createOverviewStore(driver).of(sessionId, limit);
  const numbers = numberEpochs(epochs);
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
    style.dim(`To see one of them layer by layer: ${typed("show --wire --call <number>")}`),
  ].join("\n");
}
