// The newest call by layers: tools, Baseline, updates, conversation.
import {
  type HostMessage,
  type HostPart,
  isReasoning,
  isText,
  isTool,
} from "../projection/message.ts";
import { textSize } from "./text-size.ts";

/** What a call is made of, from most to least stable. */
export const LAYERS = ["tools", "baseline", "updates", "conversation"] as const;
type LayerName = (typeof LAYERS)[number];

/** A layer's part of the newest call. */
export interface LayerShare {
  /** `tools` is the tools with the agent's own prompt; `rest` is that and the conversation, where they can't be told apart. */
  readonly layer: LayerName | "rest";
  /** An estimate; all shares together are what the provider has counted. */
  readonly tokens: number;
}

export interface LayersInput {
  /** All that the provider counted of the newest call's input, in tokens; null: no figures yet. */
  readonly totalTokens: number | null;
  readonly baselineTokens: number;
  readonly updatesTokens: number;
  /** What tools and agent prompt come to; null while nothing is known of them. */
  readonly toolsTokens: number | null;
}

/** The newest call by layers; empty while the provider has reported nothing. */
export function readLayers(input: LayersInput): readonly LayerShare[] {
  const { totalTokens, toolsTokens } = input;
  if (totalTokens === null) return [];
  const baseline = Math.min(input.baselineTokens, totalTokens);
  const updates = Math.min(input.updatesTokens, totalTokens - baseline);
  const open = totalTokens - baseline - updates;
  const ours: readonly LayerShare[] = [
    { layer: "baseline", tokens: baseline },
    { layer: "updates", tokens: updates },
  ];
  if (toolsTokens === null) return [...ours, { layer: "rest", tokens: open }];
  const tools = Math.min(toolsTokens, open);
  return [
    { layer: "tools", tokens: tools },
    ...ours,
    { layer: "conversation", tokens: open - tools },
  ];
}

/** About how many tokens the texts of a history are; what we insert into it is in there. */
export function historyTokens(messages: readonly HostMessage[]): number {
  const characters = messages.reduce(
    (sum, { parts }) => parts.reduce((all, part) => all + partCharacters(part), sum),
    0,
  );
  return textSize(characters).approxTokens;
}

function partCharacters(part: HostPart): number {
  if (isText(part)) return part.ignored === true ? 0 : part.text.length;
  if (isReasoning(part)) return part.text.length;
  if (!isTool(part)) return 0;
  const { state } = part;
  const input = JSON.stringify(state.input ?? null).length;
  switch (state.status) {
    case "completed":
      return input + state.output.length;
    case "error":
      return input + state.error.length;
    case "pending":
    case "running":
      return input;
  }
}
