// Plans a boundary: what is dropped or folded, and why now.
import type { Edit, EditOf } from "../ledger/edit.ts";
import { clipPromptsToFit, clipToFit } from "./clip.ts";
import {
  computeSparedShare,
  type Folding,
  improveFold,
  listFoldings,
  renderFold,
  resolveFoldBudget,
  type WrittenFold,
} from "./foldings.ts";
import type { MeasuredRow } from "./measured-history.ts";
import { listOffers, pickBestOffer, type RewriteOffer } from "./rewrite-cost.ts";
import { computeScale, measureScale, sumTokens } from "./scale.ts";
import { type HistorySettings, resolveShortHistoryTokens, resolveTailBounds } from "./settings.ts";
import {
  type CandidateStep,
  estimateAskingCost,
  type HistoryInput,
  type HistorySurvey,
  measureInput,
  selectSuperseded,
  splitIntoPieces,
  surveyHistory,
} from "./survey.ts";
import { computeDebt, computeTail, estimateKeptCalls, NEAR_SHARE } from "./tail.ts";

export type RewriteReason = "cold" | "worth" | "pressure" | "asked";

export interface Plan {
  readonly reason: RewriteReason;
  /** The edits that drop single parts, in order. */
  readonly drops: readonly Edit[];
  readonly folds: readonly EditOf<"fold">[];
  /** The extra input tokens that the next call pays for the plan; 0 if the cache is dead. */
  readonly cost: number;
  /** The tokens that the plan saves in each further call. */
  readonly saved: number;
}

/** Plans with a warm cache: a rewrite that calls have paid for by reading what it removes, or null. */
export function planWarm(input: HistoryInput, settings: HistorySettings): Plan | null {
  if (input.watermark === null || isShort(input, settings)) return null;
  const scale = computeScale(measureInput(input, settings));
  if (!mightPayOff(input, settings, scale)) return null;
  const tail = computeTail(input, settings);
  const survey = surveyHistory(input, settings, tail.keepTokens / scale);
  const kept = estimateKeptCalls(tail, input.space);
  const computeOwedCost = (one: Rewrite, saves: number) =>
    computeDebt(tail, {
      saves,
      asking: estimateAskingCost(survey, one.pieces, one.offer, kept),
      space: input.space,
    });
  const drop = priceDrops(survey);
  const hopes = listFoldings(survey).flatMap((some) => estimateFold(survey, some) ?? []);
  // A record's text lowers a fold's gain and raises the debt, so most folds need not be rendered.
  const mayGo = [...(drop ? [drop] : []), ...hopes].some(
    (one) => computeGain(one) >= computeOwedCost(one, 0),
  );
  const least = Math.max(drop === null ? 0 : computeGain(drop), tail.debt);
  const folds = mayGo ? hopes.map((hope) => renderFoldOffer(survey, hope, least)) : [];
  const best = [drop, ...folds].reduce(pickBetterRewrite, null);
  const isHeldBack = best !== null && computeGain(best) < computeOwedCost(best, best.offer.saves);
  const chosen = isHeldBack ? priceDrops(selectSuperseded(survey)) : best;
  return chosen && toPlan("worth", chosen, chosen.offer.price);
}

/**
 * Checks whether anything would pay with the shortest tail: with a longer tail there is less to drop, and
 * calls have paid less for it. Most calls end here and need not learn the tail.
 */
function mightPayOff(input: HistoryInput, settings: HistorySettings, scale: number): boolean {
  const { least } = resolveTailBounds(settings, input.space.usableTokens);
  const survey = surveyHistory(input, settings, least / scale);
  if (priceDrops(survey) !== null) return true;
  return listFoldings(survey).some((folding) => couldFoldPayOff(survey, folding));
}

/** Plans with a cache that is dead or was given up: all that can be dropped; null if nothing can. */
export function planFree(
  input: HistoryInput,
  settings: HistorySettings,
  reason: Exclude<RewriteReason, "worth">,
): Plan | null {
  if (reason === "cold" && isShort(input, settings)) return null;
  const keep = computeKeepTokens(input, settings);
  const { usableTokens } = input.space;
  const plan = planEverything(surveyHistory(input, settings, keep), reason);
  if (usableTokens === null || fitsShare({ input, settings }, plan, COMFORT_SHARE, usableTokens))
    return plan;
  if (reason !== "pressure" && fitsShare({ input, settings }, plan, FULL_SHARE, usableTokens))
    return plan;
  return planUnderPressure(input, settings, { keep, usableTokens });
}

/** The chance that a user returns to the former model while its cache lives, if nothing is known of him. */
const RETURN_CHANCE = 0.5;

/**
 * Plans for a model that takes over: everything is written for it, so a drop saves the price of a write. If
 * the user returns in time, the former model has to write again what comes after the drop.
 */
export function planSwitched(input: HistoryInput, settings: HistorySettings): Plan | null {
  const plan = isShort(input, settings) ? null : planFree(input, settings, "asked");
  if (plan === null) return null;
  const saved = input.space.rates.write * plan.saved;
  return saved >= RETURN_CHANCE * plan.cost ? { ...plan, reason: "cold" } : null;
}

interface PlanRequest {
  readonly input: HistoryInput;
  readonly settings: HistorySettings;
}

/** Returns true if the whole conversation is too short for a rewrite that nobody requested. */
function isShort(input: HistoryInput, { measure }: HistorySettings): boolean {
  let left = resolveShortHistoryTokens(input.space.usableTokens) / measureScale(input, measure);
  for (const message of input.messages) {
    left -= measure(message).tokens;
    if (left <= 0) return false;
  }
  return true;
}

/** Returns true if the call may not fit unchanged. */
export function isOverfull(input: HistoryInput, settings: HistorySettings): boolean {
  const { usableTokens } = input.space;
  return usableTokens !== null && !fitsShare({ input, settings }, null, FULL_SHARE, usableTokens);
}

/** Counts, in the provider's tokens, what could be dropped by itself, whether or not that would pay. */
export function countDroppableTokens(input: HistoryInput, settings: HistorySettings): number {
  const { candidates } = surveyHistory(input, settings, computeKeepTokens(input, settings));
  const loose = [...candidates.values()].reduce((sum, { saves }) => sum + saves, 0);
  return loose * measureScale(input, settings.measure);
}

/** Returns true if a fold is likely soon: NEAR_SHARE of its price is paid, or of the window is used. */
export function isFoldNear(input: HistoryInput, settings: HistorySettings): boolean {
  const { usableTokens } = input.space;
  if (usableTokens !== null && !fitsShare({ input, settings }, null, NEAR_SHARE, usableTokens))
    return true;
  if (settings.rewrite !== "worth" || input.watermark === null) return false;
  const survey = surveyHistory(input, settings, computeKeepTokens(input, settings));
  return listFoldings(survey).some((folding) => {
    const hoped = estimateRewrite(survey, folding);
    return hoped !== null && hoped.offer.rent >= NEAR_SHARE * hoped.offer.price;
  });
}

/** A fuller call may not fit. A rewrite under pressure leaves less, so that another is not due at once. */
const FULL_SHARE = 0.9;
const COMFORT_SHARE = 0.75;
/** The tail is halved this many times and then given up. */
const MAX_TAIL_HALVINGS = 5;

function planUnderPressure(
  input: HistoryInput,
  settings: HistorySettings,
  { keep, usableTokens }: { readonly keep: number; readonly usableTokens: number },
): Plan | null {
  let plan: Plan | null = null;
  for (let step = 1; step <= MAX_TAIL_HALVINGS; step++) {
    const kept = step === MAX_TAIL_HALVINGS ? 0 : keep / 2 ** step;
    plan = planEverything(surveyHistory(input, settings, kept), "pressure");
    if (fitsShare({ input, settings }, plan, COMFORT_SHARE, usableTokens)) return plan;
  }
  if (fitsShare({ input, settings }, plan, FULL_SHARE, usableTokens)) return plan;
  const scale = measureScale(input, settings.measure);
  const saved = plan?.saved ?? 0;
  const over = sumTokens(input, settings.measure) - scale * saved - COMFORT_SHARE * usableTokens;
  const clips = clipToFit(input, settings.wayBack, over / scale);
  const left = over / scale - clips.saves - ((FULL_SHARE - COMFORT_SHARE) * usableTokens) / scale;
  const prompts = clipPromptsToFit(input, settings.wayBack, left);
  const edits = [...clips.edits, ...prompts.edits];
  if (edits.length === 0) return plan;
  const { folds, drops, cost } = plan ?? { folds: [], drops: [], cost: 0 };
  return {
    reason: "pressure",
    folds,
    cost,
    drops: [...drops, ...edits],
    saved: saved + clips.saves + prompts.saves,
  };
}

function fitsShare(
  { input, settings }: PlanRequest,
  plan: Plan | null,
  share: number,
  usableTokens: number,
): boolean {
  return (
    sumTokens(input, settings.measure) -
      measureScale(input, settings.measure) * (plan?.saved ?? 0) <=
    share * usableTokens
  );
}

function computeKeepTokens(input: HistoryInput, settings: HistorySettings): number {
  return computeTail(input, settings).keepTokens / measureScale(input, settings.measure);
}

/** The usual ratio of the text that replaces folded messages to those messages. */
const USUAL_TEXT_SHARE = 0.15;

interface Rewrite {
  readonly offer: RewriteOffer;
  readonly pieces: readonly CandidateStep[];
  readonly said: WrittenFold | null;
}

function pickBetterRewrite(one: Rewrite | null, other: Rewrite | null): Rewrite | null {
  if (one === null || other === null) return one ?? other;
  return computeGain(other) > computeGain(one) ? other : one;
}

function computeGain({ offer }: Rewrite): number {
  return offer.rent - offer.price;
}

function priceDrops(survey: HistorySurvey): Rewrite | null {
  const pieces = splitIntoPieces(survey, () => null);
  const offer = pickBestOffer(listOffers(pieces, survey.input.space.rates));
  return offer && { offer, pieces, said: null };
}

/** A fold estimated without its text, which is more than any rendered fold can gain. */
interface FoldEstimate extends Rewrite {
  readonly folding: Folding;
}

/** Estimates a fold; null if it would not pay even with a text of the usual length. */
function estimateFold(survey: HistorySurvey, folding: Folding): FoldEstimate | null {
  const most = couldFoldPayOff(survey, folding) ? priceFolding(survey, folding, 0) : null;
  return most && { ...most, folding };
}

/** Prices a fold with its text, which is rendered only if the fold would gain enough without it. */
function renderFoldOffer(survey: HistorySurvey, hope: FoldEstimate, least: number): Rewrite | null {
  if (computeGain(hope) < least) return null;
  const said = renderFold(survey, hope.folding);
  const real = said && priceFolding(survey, said.folding, said.tokens);
  if (!real || real.offer.rent < real.offer.price) return null;
  return { ...real, said };
}

function couldFoldPayOff(survey: HistorySurvey, folding: Folding): boolean {
  const hoped = estimateRewrite(survey, folding);
  return hoped !== null && hoped.offer.rent >= hoped.offer.price;
}

/** Prices a fold with a text of the usual length. */
function estimateRewrite(survey: HistorySurvey, folding: Folding): Rewrite | null {
  const { rowTokens, formerTokens } = folding;
  const usual = formerTokens + USUAL_TEXT_SHARE * (rowTokens - formerTokens);
  return priceFolding(survey, folding, Math.min(usual, resolveFoldBudget(survey)));
}

function priceFolding(survey: HistorySurvey, folding: Folding, textTokens: number): Rewrite | null {
  const pieces = splitIntoPieces(survey, computeSparedShare(folding, textTokens));
  const from = pieces.findIndex(({ row }) => folding.rows.has(row));
  const [offer] = listOffers(pieces, survey.input.space.rates, (_, index) => index === from);
  return offer && offer.saves > 0 ? { offer, pieces, said: null } : null;
}

function toPlan(reason: RewriteReason, { offer, pieces, said }: Rewrite, cost: number): Plan {
  const drops = pieces.slice(offer.from).flatMap(({ candidate }) => candidate?.edits ?? []);
  return { reason, cost, saved: offer.saves, drops, folds: said?.folds ?? [] };
}

/** Plans everything that this tail allows to be removed: the history as one fold, and the drops after it. */
export function planEverything(
  survey: HistorySurvey,
  reason: Exclude<RewriteReason, "worth">,
): Plan | null {
  const folding = listFoldings(survey).find(({ kind }) => kind === "whole");
  const said = folding ? renderFold(survey, folding) : null;
  const rewrite = said && priceFolding(survey, said.folding, said.tokens);
  const improved = rewrite ? null : improveFold(survey);
  const again = improved?.folding.rows ?? new Set<MeasuredRow>();
  const pieces = rewrite?.pieces ?? splitIntoPieces(survey, (row) => (again.has(row) ? 0 : null));
  const first = pieces.findIndex(({ saves }) => saves > 0);
  const offer = listOffers(pieces, survey.input.space.rates).find(({ from }) => from === first);
  const { read, write } = survey.input.space.rates;
  const price = Math.max((write - read) * countRewritten(pieces, again), offer?.price ?? 0);
  const cost = reason === "cold" ? 0 : price;
  if (!offer) return improved && { reason, drops: [], folds: improved.folds, cost, saved: 0 };
  return toPlan(reason, { offer, pieces, said: rewrite ? said : improved }, cost);
}

/** Counts the tokens that are written again after the first of these rows; 0 if there is no such row. */
function countRewritten(pieces: readonly CandidateStep[], rows: ReadonlySet<MeasuredRow>): number {
  const from = pieces.findIndex(({ row }) => rows.has(row));
  if (from < 0) return 0;
  const sent = pieces.slice(from).filter((piece) => piece.sent === "sent");
  return sent.reduce((sum, { tokens }) => sum + tokens, 0);
}
