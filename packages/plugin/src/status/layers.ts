// Splits the newest call into layers: tools, Baseline, folded history, updates, conversation.

/** The layers of a call, from most to least stable. */
export const LAYERS = ["tools", "baseline", "history", "updates", "conversation"] as const;
type LayerName = (typeof LAYERS)[number];

/** A layer's share of the newest call. */
export interface LayerShare {
  /**
   * `tools` includes the agent's own prompt; `rest` is `tools` and the conversation, if they can't be
   * separated.
   */
  readonly layer: LayerName | "rest";
  /** An estimate; all shares add up to what the provider has counted. */
  readonly tokens: number;
}

interface LayersInput {
  /** The tokens of the newest call's whole input, as the provider counted them; null without figures. */
  readonly totalTokens: number | null;
  readonly baselineTokens: number;
  /** The tokens of the text in place of folded messages. */
  readonly historyTokens: number;
  readonly updatesTokens: number;
  /** The tokens of tools and agent prompt; null while unknown. */
  readonly toolsTokens: number | null;
}

/** Computes the layers of the newest call; none while the provider has reported nothing. */
export function readLayers(input: LayersInput): readonly LayerShare[] {
  const { totalTokens, toolsTokens } = input;
  if (totalTokens === null) return [];
  const baseline = Math.min(input.baselineTokens, totalTokens);
  const history = Math.min(input.historyTokens, totalTokens - baseline);
  const updates = Math.min(input.updatesTokens, totalTokens - baseline - history);
  const open = totalTokens - baseline - history - updates;
  const ours: readonly LayerShare[] = [
    { layer: "baseline", tokens: baseline },
    // Most sessions have nothing folded.
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

/** Names the layers as users read them. */
export const LAYER_NAMES: Readonly<Record<LayerShare["layer"], string>> = {
  tools: "tools, agent",
  baseline: "Baseline",
  history: "folded",
  updates: "updates",
  conversation: "messages",
  rest: "all else",
};
