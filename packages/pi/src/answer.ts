// What a command of ours says: the report of a session, or what its action came to.
import type { OpenCommand } from "../../plugin/src/features/command.ts";
import type { ComposedHouse } from "../../plugin/src/hooks/compose-house.ts";
import type { SessionRuntime } from "../../plugin/src/session/runtime.ts";
import { readPanel } from "../../plugin/src/status/panel.ts";
import { type ReportDeps, reportOf, statusOf } from "../../plugin/src/status/report.ts";
import type { ReadSection } from "../../plugin/src/status/section.ts";
import type { SessionId } from "../../plugin/src/storage/records.ts";
import { plain } from "../../plugin/src/tui/line.ts";
import { bottomLine, panelLines } from "../../plugin/src/tui/view.ts";
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

/** Columns of the widget, and of our line in the footer, which others share. */
const WIDGET_WIDTH = 76;
const FOOTER_WIDTH = 60;

/** What is shown all the time: a line for Pi's footer, and the panel's lines. */
export interface Shown {
  /** Null: nothing was sent yet. */
  readonly footer: string | null;
  readonly panel: readonly string[];
}

export function shownOf(deps: AnswerDeps): Shown {
  const { now } = deps.house;
  const status = readPanel(statusOf(reportDeps(deps)), { toasts: "shown", notice: null, off: [] });
  const view = { link: { kind: "linked" }, status } as const;
  const line = status.cache.calls > 0 ? bottomLine(view, now(), FOOTER_WIDTH) : null;
  return {
    footer: line && plain(line).trim(),
    panel: panelLines(view, now(), WIDGET_WIDTH).map(plain),
  };
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
