// What a command of ours answers on a host that shows plain answers: the report of a session, or what its action came to.
import type { OpenCommand } from "../features/command.ts";
import type { SessionMessage } from "../session/history.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { type ReportDeps, reportOf } from "../status/report.ts";
import type { ReadSection } from "../status/section.ts";
import type { SessionId } from "../storage/records.ts";
import type { ComposedHouse } from "./compose-house.ts";

export interface AnswerDeps {
  readonly house: ComposedHouse;
  readonly runtime: SessionRuntime;
  readonly commands: readonly OpenCommand[];
  readonly sections: readonly ReadSection[];
  /** A session's messages as its newest request had them. */
  readonly historyOf: (sessionId: SessionId) => readonly SessionMessage[];
}

/** A command as the user gave it; its name without the slash. */
export interface SaidCommand {
  readonly name: string;
  readonly sessionId: SessionId;
  readonly args: string;
}

const status: OpenCommand = {
  kind: "report",
  name: "ctx-status",
  dialog: () => null,
  report: reportOf,
};

/** @throws whatever the command throws */
export async function answer(
  deps: AnswerDeps,
  { name, sessionId, args }: SaidCommand,
): Promise<string> {
  await deps.house.database.ensure();
  const command = [status, ...deps.commands].find((one) => one.name === name);
  if (!command) return `/${name} is not available; the log says why.`;
  if (command.kind === "report") return (await command.report(reportDeps(deps, sessionId))).text;
  return (await command.act({ sessionId, args, files: [], process: "stays" })).text;
}

export function reportDeps(
  { house, runtime, sections, historyOf }: AnswerDeps,
  sessionId: SessionId,
): ReportDeps {
  const { database, notices, log, now } = house;
  runtime.turns.flush();
  return {
    sessionId,
    nowMs: now(),
    database: () => database.current(),
    shown: runtime.shownOn(sessionId, historyOf(sessionId)),
    failing: runtime.failingSources(sessionId),
    warnings: notices.all(),
    log: log.health(),
    sections,
    rewriters: [],
    toolsTokens: () => null,
  };
}
