// The report of /ctx-status, as a command gives it.
import type { LogHealth } from "../log/log.ts";
import type { Notice } from "../log/notices.ts";
import type { SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import { gatherStored } from "./gather.ts";
import { type LiveState, readStatus } from "./model.ts";
import { renderStatus, summarizeStatus } from "./render.ts";
import { rewritersIn } from "./rewriters.ts";
import type { ReadSection } from "./section.ts";
import type { ShownLedger } from "./shown.ts";
import type { FailingSource } from "./sources.ts";

/** What a command's report is made from. */
export interface ReportDeps {
  readonly sessionId: SessionId;
  readonly nowMs: number;
  readonly database: () => RuntimeDatabase;
  readonly shown: ShownLedger | null;
  readonly failing: readonly FailingSource[];
  readonly warnings: readonly Notice[];
  readonly log: LogHealth;
  /** What features say of a session. */
  readonly sections: readonly ReadSection[];
  /** The host's plugin list. */
  readonly plugins: readonly string[];
  readonly toolsTokens: LiveState["toolsTokens"];
}

export interface CommandReport {
  /** For a terminal of 80 columns. */
  readonly text: string;
  /** A sentence or two. */
  readonly summary: string;
}

/** The report of /ctx-status. */
export function reportOf(deps: ReportDeps): CommandReport {
  const { sessionId, nowMs, shown, failing, warnings, log, plugins, toolsTokens } = deps;
  const status = readStatus(
    { sessionId, nowMs, stored: gatherStored(deps.database, deps, deps.sections) },
    { shown, failing, warnings, log, rewriters: rewritersIn(plugins), toolsTokens },
  );
  return { text: renderStatus(status), summary: summarizeStatus(status) };
}
