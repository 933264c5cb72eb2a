// What the demo shows of its long session: figures per group of turns and side. Values only.

/** One host's way through the long session. Costs are in equivalents of an uncached input token. */
export interface LongSide {
  /** Of each group of turns. */
  readonly bills: readonly number[];
  /** Of all calls: the session's own, titles, compactions and the historian's. */
  readonly bill: number;
  readonly fromContext: number;
  readonly byLookUp: number;
  /** The largest request. */
  readonly peakTokens: number;
  readonly compactions: number;
}

export interface LongReport {
  readonly turns: number;
  readonly windowTokens: number;
  readonly questions: number;
  /** How many turns ago the things were said or seen that are asked for. */
  readonly ages: { readonly least: number; readonly most: number };
  /** The groups of turns, in order. */
  readonly labels: readonly string[];
  readonly without: LongSide;
  readonly with: LongSide;
  /** The session's `/ctx-status`; null where the plugin gave none. */
  readonly status: string | null;
}

export function countRight({ fromContext, byLookUp }: LongSide): number {
  return fromContext + byLookUp;
}
