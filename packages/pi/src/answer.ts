// What a command of ours says: the report of a session, or what its action came to.
import type { OpenCommand } from "../../plugin/src/features/command.ts";
import type { ComposedHouse } from "../../plugin/src/hooks/compose-house.ts";
import type { SessionRuntime } from "../../plugin/src/session/runtime.ts";
import { type ReportDeps, reportOf, statusOf } from "../../plugin/src/status/report.ts";
import type { ReadSection } from "../../plugin/src/status/section.ts";
import type { SessionId } from "../../plugin/src/storage/records.ts";
import type { PiHistory } from "./host.ts";

interface AnswerDeps {
  readonly house: ComposedHouse;
  readonly runtime: SessionRuntime;
  readonly commands: readonly OpenCommand[];
  readonly sections: readonly ReadSection[];
  readonly sessionId: SessionId;
  readonly history: PiHistory;
}

const status: OpenCommand = {
  kind: "report",
  name: "ctx-status",
  dialog: () => null,
  report: reportOf,
};

/** A command as the user gave it; without the slash. */
export interface SaidCommand {
  readonly name: string;
  readonly args: string;
}

/** @throws whatever the command throws */
export async function answer(deps: AnswerDeps, { name, args }: SaidCommand): Promise<string> {
  const { house, commands, sessionId } = deps;
  await house.database.ensure();
  const command = [status, ...commands].find((one) => one.name === name);
  if (!command) return `/${name} is not available; the log says why.`;
  if (command.kind === "report") return (await command.report(reportDeps(deps))).text;
  const call = { sessionId, args, files: [], process: "stays" } as const;
  return (await command.act(call)).text;
}

/** For Pi's footer; null: no figures of a provider yet. */
export function statusLine(deps: AnswerDeps): string | null {
  const { hitRate } = statusOf(reportDeps(deps)).cache.totals;
  return hitRate === null ? null : `cache ${Math.round(hitRate * 100)}%`;
}

function reportDeps({ house, runtime, sections, sessionId, history }: AnswerDeps): ReportDeps {
  const { database, notices, log, now } = house;
  runtime.turns.flush();
  return {
    sessionId,
    nowMs: now(),
    database: () => database.current(),
    shown: runtime.shownOn(sessionId, history.rows),
    failing: runtime.failingSources(sessionId),
    warnings: notices.all(),
    log: log.health(),
    sections,
    rewriters: [],
    toolsTokens: () => null,
  };
}
