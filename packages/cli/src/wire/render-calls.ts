// Renders a session's calls, a line each.
import type { CallStatus } from "@session-runtime/opencode/status/cache";
import { formatAgo, formatCount, renderPercent } from "@session-runtime/opencode/status/wording";
import type { Style } from "../terminal/style.ts";
import { type Column, renderTable } from "../terminal/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "call", align: "right" },
  { title: "sent", align: "left" },
  { title: "agent", align: "left" },
  { title: "model", align: "left" },
  { title: "epoch", align: "right" },
  { title: "input", align: "right" },
  { title: "read", align: "right" },
  { title: "written", align: "right" },
  { title: "hit", align: "right" },
  { title: "bust", align: "left" },
];

export interface NumberedCall extends CallStatus {
  readonly number: number;
}

export function renderCalls(calls: readonly NumberedCall[], style: Style, nowMs: number): string {
  const rows = calls.map(({ number, usage, ...call }) => [
    formatCount(number),
    formatAgo(call.sentAtMs, nowMs),
    call.agent,
    call.model,
    call.epochNumber === null ? "–" : formatCount(call.epochNumber),
    usage ? formatCount(usage.inputTokens) : "–",
    usage ? formatCount(usage.cacheReadTokens) : "–",
    usage ? formatCount(usage.cacheWriteTokens) : "–",
    renderPercent(call.hitRate),
    call.bust ? style.warn(call.bust.cause) : "",
  ]);
  return renderTable(COLUMNS, rows);
}
