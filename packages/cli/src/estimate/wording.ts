// Words the estimate, the same on the terminal and on the page.
import { formatDollars } from "@session-runtime/opencode/status/money";
import { formatCount, renderCount } from "@session-runtime/opencode/status/wording";
import { typed } from "../invocation.ts";
import { MIN_CALLS, type SkippedSessions } from "./read-sessions.ts";
import { type BoundedEstimate, SIMULATION_SHARE } from "./session-estimate.ts";
import type { EstimateSum } from "./sum.ts";

/** Renders a difference: `58 % less`, `3 % more`, `about the same`. */
export function lessThan(paid: number, amount: number): string {
  const percent = percentLess(paid, amount);
  if (percent === 0) return "about the same";
  return `${Math.abs(percent)} % ${percent > 0 ? "less" : "more"}`;
}

/** Renders a range: `53 to 61 % less`, or both phrases in full where they differ in more than the figure. */
export function lessBetween(paid: number, { least, most }: BoundedEstimate): string {
  const [few, many] = [percentLess(paid, most), percentLess(paid, least)];
  if (few > 0) return `${few} to ${many} % less`;
  if (many < 0) return `${-many} to ${-few} % more`;
  return `${lessThan(paid, most)} to ${lessThan(paid, least)}`;
}

function percentLess(paid: number, amount: number): number {
  return Math.round(100 * (1 - amount / Math.max(1, paid)));
}

export function tokensBetween({ least, most }: BoundedEstimate): string {
  return `${formatCount(least)} to ${formatCount(most)}`;
}

export function dollarsBetween({ least, most }: BoundedEstimate): string {
  return `${formatDollars(least)} to ${formatDollars(most)}`;
}

export function againPer100({ askedAgain, calls }: { askedAgain: number; calls: number }): string {
  return ((100 * askedAgain) / Math.max(1, calls)).toFixed(1);
}

export function resultSentence({ paidTokens, withPluginTokens, ...sum }: EstimateSum): string {
  const less = lessThan(paidTokens, withPluginTokens.likely);
  const between = lessBetween(paidTokens, withPluginTokens);
  const again =
    sum.askedAgain === 0
      ? "The model would have asked for no result again."
      : `The model would have asked again for ${renderCount(sum.askedAgain, "result")}, ${againPer100(sum)} per 100 calls, in ${renderCount(sum.extraCalls, "more call")}.`;
  return `With Session Runtime: ${less} (${between}). ${again}`;
}

/** Explains where the range comes from. */
export function doubtSentences({
  paidTokens,
  simulatedStockTokens,
}: EstimateSum): readonly string[] {
  const share = Math.round((100 * simulatedStockTokens) / Math.max(1, paidTokens));
  return [
    `The range allows for errors of the simulation: on recorded sessions, it differed from the real OpenCode by less than ${100 * SIMULATION_SHARE} %.`,
    `Simulated without the plugin, your sessions cost ${share} % of what you paid; the range covers both figures.`,
    "A use that leaves no name, path or number in the model's words isn't seen, so the upper end of the range counts results that are asked for again twice.",
  ];
}

export function moneySentence({ money, sessions }: EstimateSum): string {
  const list = "OpenCode's list of models";
  if (money === null) return `No dollars: ${list} has no price for these models.`;
  if (money.sessions === sessions) return `Dollars are computed from the prices in ${list}.`;
  return `Dollars are computed from the prices in ${list}, which has them for ${money.sessions} of the ${renderCount(sessions, "session")}.`;
}

/** Says what was left out; empty where nothing was. */
export function leftOutSentence({ short, withPlugin, unreadable }: SkippedSessions): string {
  const parts = [
    ...(short === 0 ? [] : [`${renderCount(short, "session")} with fewer than ${MIN_CALLS} calls`]),
    ...(withPlugin === 0
      ? []
      : [
          `${renderCount(withPlugin, "session")} that ran with Session Runtime already (\`${typed("timeline --all")}\` shows what they were billed)`,
        ]),
    ...unreadable.slice(0, 1).map(({ sessionId, reason }) => {
      const which = renderCount(unreadable.length, "session");
      return `${which} that can't be read (${sessionId}: ${reason})`;
    }),
  ];
  return parts.length === 0 ? "" : `Left out: ${parts.join("; ")}.`;
}
