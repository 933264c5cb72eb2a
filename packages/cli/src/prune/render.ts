// Renders the plan and its outcome as text.

import {
  formatAgo,
  formatCount,
  makeStringsVisible,
  renderCount,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import type { Style } from "../terminal/style.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import type { PruneOutcome } from "./carry-out.ts";
import type { Candidate, Hindrance, PrunePlan, Reason } from "./plan.ts";

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "active", align: "left" },
  { title: "calls", align: "right" },
  { title: "size", align: "right" },
  { title: "why", align: "left" },
  { title: "folder", align: "left" },
];

const REASONS: Readonly<Record<Reason, string>> = {
  old: "older than the limit",
  large: "the file is over the limit",
};

const HINDRANCES: Readonly<Record<Hindrance, string>> = {
  open: "OpenCode has it open",
  waiting: "prompts wait in its queue",
  recent: "active in the last hour",
};

/** Limits the rows: more would scroll the sum away. */
const MAX_LISTED = 30;

/** Renders what would be removed. */
export function renderPlan(plan: PrunePlan, style: Style, nowMs: number): string {
  const { goes, kept, beforeBytes, afterBytes } = makeStringsVisible(plan);
  const sections = [
    ...(goes.length > 0
      ? [
          `${style.bold(`${renderCount(goes.length, "session")} to remove`)}\n${table(goes, REASONS, nowMs)}`,
        ]
      : ["Nothing to remove."]),
    ...(kept.length > 0
      ? [
          `${style.bold(`${renderCount(kept.length, "session")} kept`)}\n${table(kept, HINDRANCES, nowMs)}`,
        ]
      : []),
    ...(goes.length > 0
      ? [
          `The file would shrink from ${renderSize(beforeBytes)} to about ${renderSize(afterBytes)}.`,
        ]
      : []),
  ];
  return sections.join("\n\n");
}

export function renderOutcome(
  { removed, spared, shrunk }: PruneOutcome,
  sizes: { readonly beforeBytes: number; readonly afterBytes: number },
): string {
  return [
    `${renderCount(removed, "session")} removed.`,
    ...(spared.length > 0
      ? [`Kept, because it became active in the meantime: ${spared.join(", ")}.`]
      : []),
    ...(shrunk === "shrunk"
      ? [`The file went from ${renderSize(sizes.beforeBytes)} to ${renderSize(sizes.afterBytes)}.`]
      : []),
    ...(shrunk === "locked"
      ? [
          "The file keeps its size for now, because another process is using it; new data fills the free space first. Run this again later to shrink it.",
        ]
      : []),
  ].join("\n");
}

function table<Why extends string>(
  candidates: readonly Candidate<Why>[],
  words: Readonly<Record<Why, string>>,
  nowMs: number,
): string {
  const rows = candidates
    .slice(0, MAX_LISTED)
    .map(({ sessionId, activeAtMs, calls, bytes, why, directory }) => [
      sessionId,
      formatAgo(activeAtMs, nowMs),
      formatCount(calls),
      renderSize(bytes),
      words[why],
      directory ?? "–",
    ]);
  const hidden = candidates.length - rows.length;
  return renderTable(COLUMNS, rows) + (hidden > 0 ? `\n… and ${formatCount(hidden)} more` : "");
}
