// Handles a call, a command or an event of a host that gives rows and takes plain answers.
import type { OpenCommand } from "../feature-api/command.ts";
import { createDisabledCommands, OPENCODE_SETTINGS } from "../feature-api/declared-commands.ts";
import type { BilledEvent, SessionEvent } from "../feature-api/feature-hooks.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { SessionMessage } from "../session/history.ts";
import type { TextCall } from "../session/sender.ts";
import { hostOwnedText } from "../sources/host-blocks.ts";
import { buildStatusReport, type ReportDeps } from "../status/report.ts";
import type { SessionId } from "../storage/records.ts";
import { AFTER_SEND_DELAY_MS } from "./compose-runtime.ts";
import type { Instance } from "./instance.ts";

/** An event for features. Events of billed calls also have the facts that only the runtime needs. */
export type RuntimeEvent =
  | Exclude<SessionEvent, BilledEvent>
  | (BilledEvent & {
      /** The model as `provider/model`. */
      readonly model: string;
      /** The price of the call in US dollars, as the host reports it. */
      readonly paidUsd: number;
    });

export async function handleEvent(
  { runtime, dispatch, runner }: Pick<Instance, "runtime" | "dispatch" | "runner">,
  said: RuntimeEvent,
): Promise<void> {
  const { sessionId } = said;
  switch (said.kind) {
    case "busy":
    case "idle":
      runtime.setStatus(sessionId, said.kind);
      break;
    case "deleted":
      runtime.removeSession(sessionId);
      break;
    case "billed":
      runtime.turns.settle(said);
      break;
    case "refused":
      runner?.pause(0);
      break;
    case "compacted":
    case "saved":
    case "touched":
    case "removed":
      break;
  }
  await dispatch("onEvent", said);
  if (said.kind !== "idle") return;
  await dispatch("settled", sessionId);
  runner?.wake();
}

// Runs a command of ours on a host that shows plain answers: a session's report, or an action's result.

/** Holds a command as the user gave it; its name has no slash. */
export interface CommandInvocation {
  readonly name: string;
  readonly sessionId: SessionId;
  readonly args: string;
}

const statusCommand: OpenCommand = {
  kind: "report",
  name: "ctx-status",
  dialog: () => null,
  report: buildStatusReport,
};

/** Runs the command. @throws whatever the command throws */
export async function runCommand(
  instance: Instance,
  { name, sessionId, args }: CommandInvocation,
): Promise<string> {
  await instance.database.ensure();
  const command = [
    statusCommand,
    ...instance.commands(),
    ...createDisabledCommands(instance.offCommands, OPENCODE_SETTINGS),
  ].find((one) => one.name === name);
  if (!command) return `/${name} is not available; the log says why.`;
  if (command.kind === "report") {
    return (await command.report(await createReportDeps(instance, sessionId))).text;
  }
  return (await command.act({ sessionId, args, files: [], process: "stays" })).text;
}

export async function createReportDeps(
  instance: Instance,
  sessionId: SessionId,
): Promise<ReportDeps> {
  const { runtime, edge } = instance;
  runtime.turns.flush();
  const shown = runtime.readShownLedger(sessionId, await edge.listed(sessionId));
  return {
    ...createReportBase(instance, sessionId),
    shown,
    rewriters: [],
    toolsTokens: () => null,
  };
}

/** Builds the part of a report that is the same on every host. */
export function createReportBase(
  { runtime, database, notices, log, sections, now }: Instance,
  sessionId: SessionId,
): Omit<ReportDeps, "shown" | "rewriters" | "toolsTokens"> {
  return {
    sessionId,
    nowMs: now(),
    database: () => database.current(),
    failing: runtime.listFailingSources(sessionId),
    warnings: notices.all(),
    log: log.health(),
    sections,
  };
}

// Handles one model call of a host that gives rows and system prompt at once: decides, stores, calls features.

interface SendRowsInput extends Omit<TextCall, "model"> {
  /** The names of the call's tools; null if the host does not report them. */
  readonly tools: ReadonlySet<string> | null;
  /** The history as the host has it. */
  readonly rows: readonly SessionMessage[];
  /** Returns the model when the call is decided, because its name may not be known earlier. */
  readonly model: () => TextCall["model"];
}

interface SentRows {
  readonly sent: readonly HostMessage[];
  readonly baseline: string;
}

/**
 * Handles the call. Returns null if nothing of the call is on record; the host's own request then goes out.
 */
export async function sendRows(
  { runtime, dispatch }: Pick<Instance, "runtime" | "dispatch">,
  { sessionId, rows, text, tools, model }: SendRowsInput,
): Promise<SentRows | null> {
  await dispatch("boundary", { sessionId, history: rows });
  if (text !== hostOwnedText) runtime.recordHostText(sessionId, text);
  if (tools !== null) runtime.recordOfferedTools(sessionId, tools);
  const sent = await runtime.projectHistory(rows);
  const layers = runtime.composeText({ sessionId, model: model(), text });
  if (!layers) return null;
  setTimeout(
    () => void dispatch("sent", { sessionId, host: rows, sent }),
    AFTER_SEND_DELAY_MS,
  ).unref();
  return { sent, baseline: layers.baseline };
}
