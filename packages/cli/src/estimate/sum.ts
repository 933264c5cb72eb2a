// Adds up the estimates of several sessions; pure.
import type { BoundedEstimate, SessionEstimate } from "./session-estimate.ts";

export interface EstimateSum {
  readonly sessions: number;
  readonly calls: number;
  readonly paidTokens: number;
  readonly withPluginTokens: BoundedEstimate;
  /** The sums over the sessions whose prices are known; null where none are. */
  readonly money: {
    readonly sessions: number;
    readonly paidUsd: number;
    readonly withPluginUsd: BoundedEstimate;
  } | null;
  readonly simulatedStockTokens: number;
  readonly askedAgain: number;
  readonly extraCalls: number;
}

export function sumEstimates(sessions: readonly SessionEstimate[]): EstimateSum {
  const sum = (of: (session: SessionEstimate) => number) =>
    sessions.reduce((all, session) => all + of(session), 0);
  const priced = sessions.filter(({ paidUsd }) => paidUsd !== null);
  return {
    sessions: sessions.length,
    calls: sum(({ calls }) => calls),
    paidTokens: sum(({ paidTokens }) => paidTokens),
    withPluginTokens: added(sessions.map(({ withPluginTokens }) => withPluginTokens)),
    money:
      priced.length === 0
        ? null
        : {
            sessions: priced.length,
            paidUsd: sum(({ paidUsd }) => paidUsd ?? 0),
            withPluginUsd: added(priced.flatMap(({ withPluginUsd }) => withPluginUsd ?? [])),
          },
    simulatedStockTokens: sum(({ simulatedStockTokens }) => simulatedStockTokens),
    askedAgain: sum(({ askedAgain }) => askedAgain),
    extraCalls: sum(({ extraCalls }) => extraCalls),
  };
}

/** Adds bounds up: what the simulation gets wrong in one session, it may get wrong in all. */
function added(amounts: readonly BoundedEstimate[]): BoundedEstimate {
  return amounts.reduce(
    (sum, { likely, least, most }) => ({
      likely: sum.likely + likely,
      least: sum.least + least,
      most: sum.most + most,
    }),
    { likely: 0, least: 0, most: 0 },
  );
}
