// Renders the status as plain text, and in one sentence.
import type { LogHealth } from "../log/log.ts";
import { LAYER_NAMES } from "./layers.ts";
import { type EpochStatus, renderInboxLine, type SessionStatus } from "./model.ts";
import { formatHostName } from "./money.ts";
import { renderCache } from "./render-cache.ts";
import type { SourceState, SourceStatus } from "./sources.ts";
import type { FormStatus, UpdateStatus } from "./updates.ts";
import {
  cutText,
  describeEpochCause,
  formatAgo,
  formatCount,
  makeStringsVisible,
  renderCount,
  renderPercent,
  renderSize,
  wrap,
} from "./wording.ts";

/** Renders the status as plain text, for 80 columns. */
export function renderStatus(stored: SessionStatus): string {
  const status = makeStringsVisible(stored);
  const sections = [
    renderHeadingLines(status),
    renderWarningSection(status),
    renderEpochSection(status),
    renderSourceSection(status),
    renderUpdateSection(status),
    renderInboxSection(status),
    renderBriefSection(status),
    renderLayerSection(status),
    ...status.sections.map(({ label: name, text }) =>
      text.split("\n").flatMap((line, index) => wrap(padLabel(index === 0 ? name : ""), line)),
    ),
    renderCache(status.cache, status.atMs, formatHostName(status.harness)),
    renderStorageSection(status),
    renderHintSection(status),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Renders the status in one sentence or two, for callers who show no more. */
export function summarizeStatus(status: SessionStatus): string {
  const { epoch, cache, warnings, storage } = status;
  const { totals } = cache;
  const parts = [
    storage.kind === "unreadable"
      ? `the database can't be read (${storage.code})`
      : epoch
        ? `epoch ${epoch.number}, begun ${formatAgo(epoch.startedAtMs, status.atMs)} ${describeEpochCause(epoch.cause)}`
        : "send a message, and /ctx-status shows its context",
    ...(epoch
      ? [
          `Baseline ${renderSize(epoch.baseline.bytes)}`,
          renderCount(status.updates.length, "update"),
        ]
      : []),
    ...(totals.calls > 0
      ? [
          `${renderCount(totals.calls, "call")} with ${renderPercent(totals.hitRate)} read from the cache`,
        ]
      : []),
    ...(totals.busts > 0 ? [renderCount(totals.busts, "cache bust")] : []),
    ...(warnings.length > 0 ? [renderCount(warnings.length, "warning")] : []),
  ];
  return `${parts.join(", ")}.`;
}

function renderHeadingLines({ sessionId, harness }: SessionStatus): readonly string[] {
  const title = `Session Runtime: ${sessionId}${harness === null ? "" : ` (${harness})`}`;
  return [title, "─".repeat(title.length)];
}

const LABEL_WIDTH = 12;

function padLabel(name: string): string {
  return name.padEnd(LABEL_WIDTH);
}

function renderEpochSection(status: SessionStatus): readonly string[] {
  const { epoch, storage, atMs } = status;
  if (epoch) return renderEpochLines(epoch, atMs);
  if (storage.kind === "unreadable") {
    return wrap(padLabel("Epoch"), "unknown, as the database can't be read (see Storage below).");
  }
  return [
    ...wrap(
      padLabel("Epoch"),
      "none yet: this session has made no model call under Session Runtime.",
    ),
    ...wrap(
      " ".repeat(LABEL_WIDTH),
      "Send a message. Its call freezes the context as this session's Baseline, and /ctx-status shows it then. If this does not change after a call, look at the warnings and at the log.",
    ),
  ];
}

function renderEpochLines(epoch: EpochStatus, nowMs: number): readonly string[] {
  const { baseline, number, count: all } = epoch;
  const before = number === 1 ? "the first" : `${formatCount(number - 1)} before it`;
  const undone = all > number ? `, ${formatCount(all - number)} undone` : "";
  return [
    ...wrap(
      padLabel("Epoch"),
      `${formatCount(number)} (${before}${undone}), began ${formatAgo(epoch.startedAtMs, nowMs)} ${describeEpochCause(epoch.cause)}`,
    ),
    `${padLabel("Baseline")}${formatCount(baseline.bytes)} bytes, about ${formatCount(baseline.approxTokens)} tokens, hash ${baseline.hash}`,
    `${padLabel("Directory")}${epoch.directory}`,
  ];
}

function renderSourceSection({ sources, atMs }: SessionStatus): readonly string[] {
  if (sources.length === 0) return [];
  const width = Math.min(34, Math.max(...sources.map(({ key }) => key.length)));
  return ["Sources", ...sources.flatMap((source) => renderSourceLines(source, width, atMs))];
}

function renderSourceLines(source: SourceStatus, width: number, nowMs: number): readonly string[] {
  const { state } = source;
  const head = `  ${cutText(source.key, width).padEnd(width)}  ${describeState(state).padEnd(11)}  `;
  const why =
    state.kind === "unavailable"
      ? `since ${formatAgo(state.sinceMs, nowMs)}: ${state.reason}; `
      : "";
  return wrap(head, why + renderHistory(source, nowMs));
}

function describeState(state: SourceState): string {
  switch (state.kind) {
    case "current":
    case "unavailable":
    case "removed":
      return state.kind;
    case "sent":
      return "current";
  }
}

function renderHistory(source: SourceStatus, nowMs: number): string {
  const { timesSent, changedAtMs, firstSentAtMs } = source;
  if (firstSentAtMs === null) return "not sent yet";
  const times = timesSent === 1 ? "sent once" : `sent ${formatCount(timesSent)} times`;
  return changedAtMs === null
    ? `${times}, ${formatAgo(firstSentAtMs, nowMs)}`
    : `changed ${formatAgo(changedAtMs, nowMs)}, ${times}`;
}

function renderInboxSection({ inbox }: SessionStatus): readonly string[] {
  const line = inbox && renderInboxLine(inbox);
  return line ? wrap(padLabel("Inbox"), line) : [];
}

function renderBriefSection({ brief, atMs }: SessionStatus): readonly string[] {
  if (!brief) return [];
  const stage = brief.stage === null ? "" : `, in ${brief.stage}`;
  return wrap(
    padLabel("Brief"),
    `sent to the last compaction ${formatAgo(brief.madeAtMs, atMs)}: about ${formatCount(brief.approxTokens)} tokens${stage}. /ctx-brief shows what it would get now.`,
  );
}

/** Renders the layers if some of the history is folded; otherwise renders nothing. */
function renderLayerSection({ layers }: SessionStatus): readonly string[] {
  if (!layers.some(({ layer }) => layer === "history")) return [];
  const all = layers.reduce((sum, { tokens }) => sum + tokens, 0);
  const shares = layers
    .filter(({ tokens }) => tokens > 0)
    .map(({ layer, tokens }) => `${LAYER_NAMES[layer]} ${formatCount(tokens)}`);
  return wrap(
    padLabel("Context"),
    `${formatCount(all)} tokens in the newest call: ${shares.join("; ")}`,
  );
}

/** The number of newest updates that are shown; more would bury the rest of the report. */
const MAX_SHOWN_UPDATES = 12;

function renderUpdateSection(status: SessionStatus): readonly string[] {
  const { updates, formerUpdates, forms, epoch, atMs } = status;
  if (!epoch) return [];
  const former = formerUpdates === 0 ? "" : `, ${formatCount(formerUpdates)} more in other epochs`;
  if (updates.length === 0) return [`Updates in this epoch: none${former}`];
  const hidden = updates.length - MAX_SHOWN_UPDATES;
  return [
    `Updates in this epoch: ${formatCount(updates.length)}${former}${forms.length === 0 ? "; sent as text" : ""}`,
    ...renderFormLines(forms),
    ...(hidden > 0 ? [`  (${formatCount(hidden)} older not shown)`] : []),
    ...updates.slice(-MAX_SHOWN_UPDATES).flatMap((update) => renderUpdateLines(update, atMs)),
  ];
}

/** Lists the forms by model; if there are none, the heading says that all updates went as text. */
function renderFormLines(forms: readonly FormStatus[]): readonly string[] {
  if (forms.length === 0) return [];
  const lines = forms.flatMap(({ model, native, fellBack }) => {
    const back = fellBack === 0 ? "" : `, ${formatCount(fellBack)} as text after all`;
    return wrap(`  to ${model}  `, `${formatCount(native)} in the provider's own role${back}`);
  });
  return [...lines, "  to other models  as text"];
}

function renderUpdateLines(update: UpdateStatus, nowMs: number): readonly string[] {
  const when = formatAgo(update.atMs, nowMs).padEnd(12);
  const bytes = `${formatCount(update.bytes)} bytes`.padStart(13);
  return wrap(`  ${when} ${update.state.padEnd(9)} ${bytes}  `, update.keys.join(", "));
}

function renderStorageSection({ storage, log }: SessionStatus): readonly string[] {
  return [
    ...(storage.kind === "open"
      ? [
          `${padLabel("Storage")}${storage.path}`,
          `${padLabel("")}${renderSize(storage.sizeBytes)}, schema ${storage.schemaVersion}`,
        ]
      : wrap(padLabel("Storage"), storage.message)),
    ...(log ? renderLogLines(log) : []),
  ];
}

function renderLogLines({ path, lostLines, failure }: LogHealth): readonly string[] {
  const trouble = [
    ...(lostLines > 0 ? [`${renderCount(lostLines, "line")} lost`] : []),
    ...(failure === null ? [] : [`can't be written: ${failure}`]),
  ];
  const place = `${padLabel("Log")}${path}`;
  return trouble.length === 0 ? [place] : [place, `${padLabel("")}${trouble.join(", ")}`];
}

function renderWarningSection({ warnings }: SessionStatus): readonly string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ message, remedy }) => wrap("  ! ", `${message} ${remedy}`));
  return ["Warnings", ...lines];
}

/** Renders hints for reading the report. Warnings, if there are any, have a section at the top. */
function renderHintSection({ warnings, rewriters, ground }: SessionStatus): readonly string[] {
  return [
    ...(rewriters.length > 0
      ? wrap(
          padLabel("Plugins"),
          `${rewriters.join(", ")}: known to rewrite messages or the system string; they are the likely cause of a bust that names another plugin.`,
        )
      : []),
    ...(ground === "database"
      ? wrap(
          padLabel("Not known"),
          "warnings, sources that fail now, and what was undone: only the running session has these. /ctx-status shows them.",
        )
      : warnings.length === 0
        ? [`${padLabel("Warnings")}none`]
        : []),
  ];
}
