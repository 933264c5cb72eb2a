// Estimates what one past session would have cost with the plugin; pure.
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { ListedModel, ModelList } from "../host/model-list.ts";
import { play } from "../simulation/play.ts";
import type { RecordedSession } from "../simulation/recorded.ts";
import type { Model } from "../simulation/settings.ts";
import { OWN_FRONT_TOKENS, usualHistory } from "../simulation/usual.ts";
import { measurePaid, type PaidCalls } from "./paid.ts";
import { measureScale, type Scale, scaled } from "./scale.ts";
import { buildSkeleton } from "./skeleton.ts";

/** An amount that is known within bounds, in tokens at the price of uncached input. */
export interface BoundedEstimate {
  readonly likely: number;
  readonly least: number;
  readonly most: number;
}

export interface SessionEstimate {
  readonly sessionId: SessionId;
  readonly title: string;
  readonly directory: string;
  /** The model of most calls: `anthropic/claude-sonnet-4-5`. */
  readonly model: string;
  readonly calls: number;
  readonly paidTokens: number;
  /** The price paid; null where it is unknown. */
  readonly paidUsd: number | null;
  readonly withPluginTokens: BoundedEstimate;
  readonly withPluginUsd: BoundedEstimate | null;
  /** The simulated bill of OpenCode alone, which shows how well the simulation matches the paid one. */
  readonly simulatedStockTokens: number;
  /** Counts results that the model would have read again, and the calls that this takes. */
  readonly askedAgain: number;
  readonly extraCalls: number;
  readonly rewrites: number;
  readonly largestContext: { readonly stock: number; readonly withPlugin: number };
}

/** Holds an estimate's inputs from the host's messages: figures and sizes, no words. */
export interface PastSession {
  readonly sessionId: SessionId;
  readonly title: string;
  readonly directory: string;
  readonly paid: PaidCalls;
  readonly model: ListedModel & { readonly name: string };
  readonly scale: Scale;
  readonly skeleton: RecordedSession;
}

/** The lifetime of a usual provider's cache. */
const TTL_MS = 300_000;
/** The window of a model that the catalogue doesn't have. */
const USUAL_WINDOW = { tokens: 200_000, usableTokens: 168_000 } as const;
/** The largest measured difference between the simulation and the real host. */
export const SIMULATION_SHARE = 0.05;

/** Returns null where no call was reported. */
export function pastSession(
  named: Pick<PastSession, "sessionId" | "title" | "directory">,
  messages: readonly HostMessage[],
  models: ModelList,
): PastSession | null {
  const paid = measurePaid(messages, models);
  const { model } = paid;
  if (model === null) return null;
  const skeleton = buildSkeleton(messages, { name: named.sessionId, model: model.name });
  return { ...named, paid, model, scale: measureScale(messages), skeleton };
}

/** Simulates the session twice: on OpenCode alone, and with the plugin. */
export function estimateSession({ paid, scale, skeleton, ...past }: PastSession): SessionEstimate {
  const { sessionId, title, directory } = past;
  const model = createModel(paid, past.model, scale);
  const recorded = scaled(skeleton, scale);
  const stock = play(recorded, model, null);
  const frontTokens = model.frontTokens + OWN_FRONT_TOKENS;
  const ours = play(recorded, { ...model, frontTokens }, usualHistory());
  const withPluginTokens = estimateBounds(paid.tokens, {
    stock: stock.bill,
    ours: ours.bill,
    asking: ours.extraCalls / Math.max(1, ours.calls),
  });
  return {
    sessionId,
    title,
    directory,
    model: past.model.name,
    calls: paid.calls,
    paidTokens: paid.tokens,
    paidUsd: paid.usd,
    withPluginTokens,
    withPluginUsd: paid.usd === null ? null : times(withPluginTokens, paid.usd / paid.tokens),
    simulatedStockTokens: stock.bill,
    askedAgain: ours.askedAgain,
    extraCalls: ours.extraCalls,
    rewrites: ours.rewrites.length,
    largestContext: { stock: paid.peakTokens, withPlugin: ours.peakTokens },
  };
}

function createModel(
  { peakTokens }: PaidCalls,
  { rates, window }: ListedModel,
  scale: Scale,
): Model {
  const { tokens, usableTokens } = window ?? USUAL_WINDOW;
  return {
    rates,
    ttlMs: TTL_MS,
    frontTokens: scale.frontTokens,
    windowTokens: Math.max(tokens, peakTokens),
    usableTokens: Math.max(usableTokens, peakTokens),
  };
}

/**
 * Scales what was paid by the ratio of both simulations, so that an error of both cancels out. The simulated bill by
 * itself widens the bounds. Uses that leave no words are not seen, so the upper bound counts the results that are
 * asked for again twice.
 */
function estimateBounds(
  paid: number,
  {
    stock,
    ours,
    asking,
  }: { readonly stock: number; readonly ours: number; readonly asking: number },
): BoundedEstimate {
  const likely = (paid * ours) / Math.max(1, stock);
  return {
    likely,
    least: Math.min(likely, ours) * (1 - SIMULATION_SHARE),
    most: Math.max(likely, ours) * (1 + SIMULATION_SHARE + asking),
  };
}

function times({ likely, least, most }: BoundedEstimate, factor: number): BoundedEstimate {
  return { likely: likely * factor, least: least * factor, most: most * factor };
}
