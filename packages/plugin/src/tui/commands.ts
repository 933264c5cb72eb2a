// The dialogs' commands: in the palette, and from the server for the session on screen.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { createEffect, onCleanup } from "solid-js";
import { REPORTS, type ReportName, showCommand } from "../channel/protocol.ts";
import { segment } from "./line.ts";
import { openReport, type ReportContent, reportContent } from "./report-dialog.ts";
import type { Shown } from "./shown.ts";
import { linkTrouble } from "./view.ts";

const PALETTE: Readonly<Record<ReportName, { readonly title: string; readonly desc: string }>> = {
  "ctx-status": {
    title: "Session Runtime: status",
    desc: "Epoch, sources, updates and prompt cache of this session",
  },
  "ctx-brief": {
    title: "Session Runtime: brief",
    desc: "The brief that a compaction would get now",
  },
};

/**
 * The dialogs, opened from the host's palette, or by the server for the session that is shown here.
 * No slash names: those are the server's commands, and would stand in the list twice.
 */
export function registerCommands(api: TuiPluginApi, shown: Shown): void {
  api.keymap.registerLayer({
    commands: REPORTS.map((report) => ({
      name: `session-runtime.palette.${report}`,
      ...PALETTE[report],
      category: "Session Runtime",
      namespace: "palette",
      run: () => openReport(api, contentOf(report, shown)),
    })),
  });
  createEffect(() => {
    const id = shown.sessionId();
    if (id === null || shown.client() === null) return;
    const withdraw = api.keymap.registerLayer({
      commands: REPORTS.map((report) => ({
        name: showCommand(report, id),
        run: () => openReport(api, contentOf(report, shown)),
      })),
    });
    onCleanup(withdraw);
  });
}

function contentOf(report: ReportName, shown: Shown): ReportContent {
  const [sessionId, client] = [shown.sessionId(), shown.client()];
  if (sessionId !== null && client !== null) {
    const ask = async () => (await client.report({ kind: "report", report, sessionId })).text;
    return reportContent(report, ask);
  }
  const why =
    sessionId === null
      ? "Open a session first: there is a report for each."
      : (linkTrouble(shown.view().link) ??
        "The server has not answered yet. Try again in a moment.");
  return { ...reportContent(report, async () => ""), load: async () => [[segment("text", why)]] };
}
