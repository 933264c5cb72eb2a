// Simulates the host's own compaction: what it costs, and what it hides (OpenCode 1.18.33).
import {
  type HostMessage,
  hasEnded,
  isText,
  isTool,
  readSentResultText,
} from "@session-runtime/opencode/ledger/message";
import { estimateHistoryTokens, estimateTokens } from "@session-runtime/opencode/ledger/tokens";
import type { Model } from "./settings.ts";

interface CompactedHistory {
  readonly messages: readonly HostMessage[];
  /** The prompt's size in the call that made the summary. */
  readonly promptTokens: number;
}

/** Sets how many tokens of the newest messages stay: a share of the usable space, within bounds. */
const KEPT = { share: 0.25, least: 2_000, most: 15_000 } as const;
/** Limits each result in the text that is summarised. */
const RESULT_CHARS = 2_000;
const PROMPT_TOKENS = 1_000;
const SUMMARY_CHARS = 4_000;

export function compacted(
  messages: readonly HostMessage[],
  { usableTokens }: Model,
): CompactedHistory {
  const tailTokens = Math.min(KEPT.most, Math.max(KEPT.least, KEPT.share * usableTokens));
  let from = messages.length;
  let kept = 0;
  while (from > 0) {
    const message = messages[from - 1];
    kept += message ? countedTokens(message) : 0;
    if (kept > tailTokens) break;
    from -= 1;
  }
  const head = messages.slice(0, from);
  const summary = "What was done so far, in the words of a summary. ".repeat(SUMMARY_CHARS / 50);
  const id = `c${messages.length}`;
  return {
    promptTokens: PROMPT_TOKENS + serialisedTokens(head),
    messages: [
      text(`${id}u`, "user", "What did we do so far?"),
      text(`${id}s`, "assistant", summary),
      ...messages.slice(from),
      text(`${id}g`, "user", "Continue if you have next steps, or stop and ask for clarification."),
    ],
  };
}

/** Counts a message as the host does, by the JSON that it hands to its SDK. */
function countedTokens({ info, parts }: HostMessage): number {
  const said = parts.flatMap((part): readonly object[] => {
    if (isText(part)) return [{ type: "text", text: part.text }];
    if (!isTool(part)) return [];
    const { callID: toolCallId, tool: toolName, state } = part;
    return [{ type: "tool-call", toolCallId, toolName, input: state.input }];
  });
  const results = parts.filter(hasEnded).map((part) => {
    const { callID: toolCallId, tool: toolName } = part;
    const output = { type: "text", value: readSentResultText(part) };
    return { type: "tool-result", toolCallId, toolName, output };
  });
  const messages = [
    { role: info.role, content: said },
    ...(results.length > 0 ? [{ role: "tool", content: results }] : []),
  ];
  return estimateTokens(JSON.stringify(messages));
}

function serialisedTokens(messages: readonly HostMessage[]): number {
  const cut = messages
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => {
      const { state } = part as { readonly state?: { readonly output?: string } };
      const output = state?.output ?? "";
      return sum + estimateTokens(output.slice(RESULT_CHARS));
    }, 0);
  return estimateHistoryTokens(messages) - cut;
}

function text(id: string, role: "user" | "assistant", words: string): HostMessage {
  const part = { id: `${id}p`, messageID: id, sessionID: "simulated", type: "text", text: words };
  return { info: { id, sessionID: "simulated", role }, parts: [part] };
}
