// Renders what Pi always shows of a session: a line for its footer, and the panel's lines.

import { createReportDeps } from "@session-runtime/opencode/runtime/host-calls";
import type { Instance } from "@session-runtime/opencode/runtime/instance";
import { readPanel } from "@session-runtime/opencode/status/panel";
import { loadStatus } from "@session-runtime/opencode/status/report";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { toPlainText } from "@session-runtime/opencode/tui/line";
import { renderBottomLine, renderPanelLines } from "@session-runtime/opencode/tui/view";

/** Limits the width of the widget, and of our line in the shared footer, in columns. */
const WIDGET_WIDTH = 76;
const FOOTER_WIDTH = 60;

interface PanelContent {
  /** The footer's line; null before anything was sent. */
  readonly footer: string | null;
  readonly panel: readonly string[];
}

export async function buildShown(instance: Instance, sessionId: SessionId): Promise<PanelContent> {
  const { now } = instance;
  const report = loadStatus(await createReportDeps(instance, sessionId));
  const status = readPanel(report, { toasts: "shown", notice: null, off: [] });
  const view = { link: { kind: "linked" }, status } as const;
  const line = status.cache.calls > 0 ? renderBottomLine(view, now(), FOOTER_WIDTH) : null;
  return {
    footer: line && toPlainText(line).trim(),
    panel: renderPanelLines(view, now(), WIDGET_WIDTH).map(toPlainText),
  };
}
