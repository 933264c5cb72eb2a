// The newest call by layers: tools, Baseline, folded history, updates, conversation.

/** What a call is made of, from most to least stable. */
export const LAYERS = ["tools", "baseline", "history", "updates", "conversation"] as const;
type LayerName = (typeof LAYERS)[number];

/** A layer's part of the newest call. */
export interface LayerShare {
  /** `tools` is the tools with the agent's own prompt; `rest` is that and the conversation, where they can't be separated. */
  readonly layer: LayerName | "rest";
  /** An estimate; all shares together are what the provider has counted. */
  readonly tokens: number;
}

interface LayersInput {
  /** All that the provider counted of the newest call's input, in tokens; null: no figures yet. */
  readonly totalTokens: number | null;
  readonly baselineTokens: number;
  /** What stands in the place of messages that were folded. */
  readonly historyTokens: number;
  readonly updatesTokens: number;
  /** What tools and agent prompt come to; null while nothing is known of them. */
  readonly toolsTokens: number | null;
}

/** The newest call by layers; empty while the provider has reported nothing. */
export function readLayers(input: LayersInput): readonly LayerShare[] {
  const { totalTokens, toolsTokens } = input;
  if (totalTokens === null) return [];
  const baseline = Math.min(input.baselineTokens, totalTokens);
  const history = Math.min(input.historyTokens, totalTokens - baseline);
  const updates = Math.min(input.updatesTokens, totalTokens - baseline - history);
  const open = totalTokens - baseline - history - updates;
  const ours: readonly LayerShare[] = [
    { layer: "baseline", tokens: baseline },
    // In most sessions nothing is folded.
    ...(history > 0 ? [{ layer: "history", tokens: history } as const] : []),
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

/** As people read it. */
export const LAYER_NAMES: Readonly<Record<LayerShare["layer"], string>> = {
  tools: "tools, agent",
  baseline: "Baseline",
  history: "folded",
  updates: "updates",
  conversation: "messages",
  rest: "all else",
};
