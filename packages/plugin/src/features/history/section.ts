// Renders the history section of the status: what is dropped, the tail, and the newest rewrites.
import type { ReadSection, StatusSection } from "../../status/section.ts";
import { formatCount, renderCount } from "../../status/wording.ts";
import {
  createHistoryReader,
  type HistoryStatus,
  renderDropped,
  renderRewrite,
  renderTail,
  renderTotals,
} from "./rewrite-status.ts";

/** The number of rewrites that are shown, newest ones only; `session-runtime history` lists them all. */
const MAX_SHOWN_REWRITES = 5;

export const historySection: ReadSection = (driver) => {
  const read = createHistoryReader(driver);
  return (sessionId, nowMs, shown) => {
    const status = read(sessionId, shown);
    return status && renderSection(status, nowMs);
  };
};

/** Renders the section; null if nothing was ever rewritten. */
export function renderSection(status: HistoryStatus, nowMs: number): StatusSection | null {
  const { rewrites, savedTokens, foldedMessages } = status;
  const newest = rewrites.at(-1);
  if (!newest) return null;
  const hidden = rewrites.length - MAX_SHOWN_REWRITES;
  const lines = [
    renderDropped(status) ?? "Nothing is dropped or folded now.",
    renderTail(newest),
    ...rewrites.slice(-MAX_SHOWN_REWRITES).map((rewrite) => `· ${renderRewrite(rewrite, nowMs)}`),
    ...(hidden > 0
      ? [`(${formatCount(hidden)} older: \`history\` on the command line lists them)`]
      : []),
    renderTotals(status),
  ];
  const word = foldedMessages > 0 ? "folded" : "dropped";
  return {
    label: "History",
    text: lines.join("\n"),
    short:
      savedTokens > 0
        ? `spares ${formatCount(savedTokens)} tokens a call`
        : renderCount(rewrites.length, "rewrite"),
    ...(savedTokens > 0 ? { mark: { word, atMs: newest.atMs } } : {}),
  };
}
