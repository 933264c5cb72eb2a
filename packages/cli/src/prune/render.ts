// The plan and its outcome, as text.

import { visibleIn } from "../../../plugin/src/status/visible.ts";
import { ago, count, counted, size } from "../../../plugin/src/status/wording.ts";
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

/** More would scroll the sum away. */
const LISTED = 30;

/** What would go, as text. */
export function renderPlan(plan: PrunePlan, style: Style, nowMs: number): string {
  const { goes, kept, beforeBytes, afterBytes } = visibleIn(plan);
  const sections = [
    ...(goes.length > 0
      ? [
          `${style.bold(`${counted(goes.length, "session")} to go`)}\n${table(goes, sayReason, nowMs)}`,
        ]
      : ["Nothing to remove."]),
    ...(kept.length > 0
      ? [
          `${style.bold(`${counted(kept.length, "session")} kept`)}\n${table(kept, sayHindrance, nowMs)}`,
        ]
      : []),
    ...(goes.length > 0
      ? [`The file would shrink from ${size(beforeBytes)} to about ${size(afterBytes)}.`]
      : []),
  ];
  return sections.join("\n\n");
}

export function renderOutcome(
  { removed, spared, shrunk }: PruneOutcome,
  sizes: { readonly beforeBytes: number; readonly afterBytes: number },
): string {
  return [
    `${counted(removed, "session")} removed.`,
    ...(spared.length > 0
      ? [`Kept, because it became active in the meantime: ${spared.join(", ")}.`]
      : []),
    ...(shrunk === "shrunk"
      ? [`The file went from ${size(sizes.beforeBytes)} to ${size(sizes.afterBytes)}.`]
      : []),
    ...(shrunk === "locked"
      ? [
          "The file keeps its size for now, because another process is using it; new data fills the free space first. Run this again later to shrink it.",
        ]
      : []),
  ].join("\n");
}

function table<Why>(
  candidates: readonly Candidate<Why>[],
  say: (why: Why) => string,
  nowMs: number,
): string {
  const rows = candidates
    .slice(0, LISTED)
    .map(({ sessionId, activeAtMs, calls, bytes, why, directory }) => [
      sessionId,
      ago(activeAtMs, nowMs),
      count(calls),
      size(bytes),
      say(why),
      directory ?? "–",
    ]);
  const hidden = candidates.length - rows.length;
  return renderTable(COLUMNS, rows) + (hidden > 0 ? `\n… and ${count(hidden)} more` : "");
}

function sayReason(why: Reason): string {
  switch (why) {
    case "old":
      return "older than the limit";
    case "large":
      return "the file is over its size";
  }
}

function sayHindrance(why: Hindrance): string {
  switch (why) {
    case "open":
      return "OpenCode has it open";
    case "waiting":
      return "prompts wait in its queue";
    case "recent":
      return "active in the last hour";
  }
}
