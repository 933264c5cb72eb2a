// Runs a command of ours on a host that shows plain answers: a session's report, or an action's result.
import type { OpenCommand } from "../feature-api/command.ts";
import { OPENCODE_SETTINGS, offAnswers } from "../feature-api/declared-commands.ts";
import { buildStatusReport, type ReportDeps } from "../status/report.ts";
import type { SessionId } from "../storage/records.ts";
import type { Instance } from "./instance.ts";

/** Holds a command as the user gave it; its name without the slash. */
export interface CommandInvocation {
  readonly name: string;
  readonly sessionId: SessionId;
  readonly args: string;
}

const status: OpenCommand = {
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
    status,
    ...instance.commands(),
    ...offAnswers(instance.offCommands, OPENCODE_SETTINGS),
  ].find((one) => one.name === name);
  if (!command) return `/${name} is not available; the log says why.`;
  if (command.kind === "report") {
    return (await command.report(await reportDeps(instance, sessionId))).text;
  }
  return (await command.act({ sessionId, args, files: [], process: "stays" })).text;
}

export async function reportDeps(instance: Instance, sessionId: SessionId): Promise<ReportDeps> {
  const { runtime, edge } = instance;
  runtime.turns.flush();
  const shown = runtime.shownLedger(sessionId, await edge.listed(sessionId));
  return { ...reportBase(instance, sessionId), shown, rewriters: [], toolsTokens: () => null };
}

/** Builds the part of a report that is the same on every host. */
export function reportBase(
  { runtime, database, notices, log, sections, now }: Instance,
  sessionId: SessionId,
): Omit<ReportDeps, "shown" | "rewriters" | "toolsTokens"> {
  return {
    sessionId,
    nowMs: now(),
    database: () => database.current(),
    failing: runtime.failingSources(sessionId),
    warnings: notices.all(),
    log: log.health(),
    sections,
  };
}
