// Renders a call's layers as text.

import { renderConfirmation } from "@session-runtime/opencode/status/render-cache";
import {
  describeEpochCause,
  formatAgo,
  formatCount,
  renderCount,
  renderPercent,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import { sumContextTokens } from "@session-runtime/opencode/storage/turn-figures";
import type { Style } from "../terminal/style.ts";
import { moment } from "../timeline/moment.ts";
import type { CallWire, WireBaseline, WireEdit, WireLayer, WireMessage } from "./call-wire.ts";
import { KIND_WORDS } from "./entry-kind.ts";

interface WireView {
  readonly style: Style;
  readonly nowMs: number;
  /** `full` includes the texts of Baseline and edits. */
  readonly texts: "full" | "sizes";
  /** The reason why the host's rows can't be read; null where they can. */
  readonly rowsMissing: string | null;
}

/** Renders the layers of a call as text. */
export function renderWire(wire: CallWire, view: WireView): string {
  const sections = [
    headLines(wire, view),
    layerLines(wire, view),
    messageLines(wire, view),
    elsewhereLines(wire, view),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function headLines({ sessionId, number, calls, call }: CallWire, view: WireView): string[] {
  const { style, nowMs } = view;
  const title = `${sessionId}: call ${formatCount(number)} of ${formatCount(calls)}`;
  const { usage } = call;
  const tokens = usage
    ? `${formatCount(sumContextTokens(usage))} in: ${formatCount(usage.cacheReadTokens)} read from the cache, ${formatCount(usage.cacheWriteTokens)} written to it, ${formatCount(usage.inputTokens)} neither (${renderPercent(call.hitRate)} read)`
    : "the provider has reported none";
  const bust = call.bust
    ? style.warn(`${call.bust.cause} (${renderConfirmation(call.bust.confirmation)})`)
    : "none known: the call began with what was sent before";
  return [
    style.bold(title),
    style.dim("─".repeat(title.length)),
    `Sent      ${formatAgo(call.sentAtMs, nowMs)}, ${moment(call.sentAtMs)}, by agent ${call.agent} to ${call.model}`,
    `Tokens    ${tokens}`,
    `Bust      ${bust}`,
  ];
}

function layerLines({ layers, baseline, messages }: CallWire, view: WireView): string[] {
  const { style } = view;
  const rows = layers.flatMap((layer) => {
    const what =
      layer.name === "history" ? describeHistory(messages) : layerText(layer.name, baseline, view);
    const line = `  ${layer.name.padEnd(9)} ${changeWord(layer.change, style)} ${style.dim(layer.digest.slice(0, 8))}  ${what}`;
    return layer.name === "baseline" && baseline ? [line, ...partLines(baseline, view)] : [line];
  });
  return [
    `${style.accent("Layers")}, from most to least stable, compared with the previous call of this model`,
    ...rows,
  ];
}

function changeWord(change: WireLayer["change"], style: Style): string {
  const word = change.padEnd(8);
  return change === "changed" ? style.warn(word) : word;
}

function layerText(
  name: Exclude<WireLayer["name"], "history">,
  baseline: WireBaseline | null,
  { nowMs }: WireView,
): string {
  switch (name) {
    case "tools":
      return "all tools seen so far in this process";
    case "preamble":
      return "the agent's own prompt, live";
    case "baseline":
      return baseline === null
        ? "its epoch is not stored"
        : `${renderSize(baseline.bytes)}, epoch ${baseline.epochNumber}, frozen ${formatAgo(baseline.startedAtMs, nowMs)} ${describeEpochCause(baseline.cause)}`;
    case "live":
      return "unknown blocks, the structured-output note, the prompt's own system";
  }
}

function describeHistory(messages: readonly WireMessage[]): string {
  const fresh = messages.filter(({ isNew }) => isNew).length;
  return `${renderCount(messages.length, "message")} of this epoch, ${formatCount(fresh)} of them new in this call`;
}

function partLines({ parts }: WireBaseline, { style, texts }: WireView): string[] {
  return parts.flatMap(({ key, bytes, text }) => [
    `              ${key.padEnd(30)} ${renderSize(bytes).padStart(13)}`,
    ...(texts === "full" ? textLines(text, style) : []),
  ]);
}

function messageLines({ messages }: CallWire, view: WireView): string[] {
  const { style, rowsMissing } = view;
  if (messages.length === 0) return [];
  const note =
    rowsMissing === null
      ? "OpenCode's messages as they are now, with the plugin's edits below each"
      : `without texts, because OpenCode's database can't be read (${rowsMissing})`;
  return [
    `${style.accent("Messages")}: ${note}`,
    ...messages.flatMap((message, index) => oneMessage(message, index + 1, view)),
  ];
}

function oneMessage(message: WireMessage, number: number, view: WireView): string[] {
  const { style, rowsMissing } = view;
  const { row, id, isNew } = message;
  const role = row?.role ?? (rowsMissing === null ? "deleted" : "");
  const head = `  ${String(number).padStart(4)} ${isNew ? style.good("new") : "   "} ${role.padEnd(10)} ${style.dim(id)}`;
  const parts = (row?.parts ?? []).filter(
    ({ kind, label }) => kind !== "other" || label === "compaction",
  );
  return [
    head.trimEnd(),
    ...parts.map((part) => {
      const isKept = part.isPruned && !message.edits.some(({ partId }) => partId === part.id);
      const notes = [
        ...(part.isIgnored ? ["not sent: for the user alone"] : []),
        ...(isKept ? ["cleared since, but sent as it was"] : []),
      ];
      const note = notes.length === 0 ? "" : style.warn(`  [${notes.join(", ")}]`);
      return `           ${part.kind.padEnd(10)}${renderSize(part.bytes).padStart(13)}  ${part.label}${note}`;
    }),
    ...message.edits.flatMap((edit) => editLines(edit, view)),
  ];
}

function elsewhereLines({ elsewhere }: CallWire, view: WireView): string[] {
  if (elsewhere.length === 0) return [];
  return [
    `${view.style.accent("Not in this call")}: edits whose message none of this epoch's calls has sent`,
    ...elsewhere.flatMap((edit) => editLines(edit, view)),
  ];
}

function editLines(edit: WireEdit, { style, nowMs, texts }: WireView): string[] {
  const keys = edit.keys.length === 0 ? "" : ` (${edit.keys.join(", ")})`;
  const form = edit.form === null ? "" : `, ${edit.form}`;
  const bytes = edit.text === null ? "" : `, ${renderSize(edit.bytes)}`;
  const since = edit.isNew
    ? "decided for this call"
    : `since ${formatAgo(edit.decidedAtMs, nowMs)}`;
  return [
    `         ${style.accent(`+ ${KIND_WORDS[edit.kind]}${keys}`)}${form}${bytes}, ${since}, ledger ${edit.seq}`,
    ...(texts === "full" && edit.text !== null ? textLines(edit.text, style) : []),
  ];
}

function textLines(text: string, style: Style): string[] {
  return text.split("\n").map((line) => style.dim(`              │ ${line}`));
}
