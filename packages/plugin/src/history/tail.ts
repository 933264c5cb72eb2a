// Learns from re-reads how much of the newest history should stay verbatim.
import { toFields } from "../context/fields.ts";
import { type EndedCall, type HostMessage, readResultText } from "../ledger/message.ts";
import type { NextCall } from "../ledger/policy.ts";
import { deriveRef, readRef } from "../ledger/ref.ts";
import type { CacheRates, CallSpace } from "../ledger/space.ts";
import { FRAME_TOKENS } from "../ledger/tokens.ts";
import {
  isAnswer,
  type MeasureMessage,
  type MessageMeasure,
  type PartFacts,
  toCallFacts,
} from "./measured-history.ts";
import { createFateLookup, type FindFate, type RepeatedRead, ReReadCosts } from "./re-read.ts";
import { isEndedCall } from "./results.ts";
import { type HistorySettings, resolveTailBounds, type TailBounds } from "./settings.ts";

interface Tail {
  readonly keepTokens: number;
  /** The cost of re-reading in recent calls, and the tokens saved by dropping, both in input tokens. */
  readonly regret: number;
  readonly spared: number;
  /** What a rewrite must gain beyond its price while re-reading costs more than it should. */
  readonly debt: number;
  /** The share of dropped tokens that was read again, relative to the usual share; 1 is usual. */
  readonly asking: number;
  /** The share of mere talk: 0 if calls look things up, 1 if they only talk. */
  readonly stillness: number;
  /** The tokens of the results beyond the tail, sent or not. */
  readonly beyondTokens: number;
  /** The tokens that a call adds, on average. */
  readonly growthTokens: number;
}

/** The tail grows while regret exceeds this share of what was saved. */
const REGRET_TO_SAVINGS_RATIO = 0.25;
const GROWTH_FACTOR = 1.5;
/** Weighs the cost of re-reading against what was saved (decision 0147, by simulation). */
const DEBT_WEIGHT = 12;
/**
 * Usually, `share` of the dropped tokens is read again; that is assumed as if seen on `tokens` of them, until
 * the session has shown its own share. `mostTimes` limits how far the assumption may exceed the usual: a
 * session believed to re-read ten times as much got no more rewrites, and re-read no less (decision 0490).
 */
const REREAD_PRIOR = { share: 0.15, tokens: 32_000, mostTimes: 1.3 } as const;
/**
 * A session that only talks and looks nothing up works with what it has read, and would read that again
 * (decision 0147), so that cost has to be paid `weight` times first.
 */
const INACTIVITY_MODEL = { weight: 8, belowActivity: 0.3, forgetting: 1 / 8 } as const;
/**
 * The tail is multiplied by this whenever it need not grow, because each call reads it and most rewrites write
 * it again. The value was found by simulation.
 */
const SHRINK_FACTOR = 0.85;
/** The rate at which earlier calls are forgotten; about its inverse is the number of calls that count. */
const FORGETTING_RATE = 1 / 16;
/** The tokens of history that are examined: how a session re-reads does not depend on its window. */
const LOOK_BACK_TOKENS = 200_000;
/** The share of the window at which a rewrite is likely soon. */
export const NEAR_SHARE = 0.6;

/** Computes the tail of the next call. */
export function computeTail(
  input: Pick<NextCall, "messages" | "projected" | "space">,
  settings: HistorySettings,
): Tail {
  const { usableTokens, rates } = input.space;
  return learnTail(input, resolveTailBounds(settings, usableTokens), rates, settings.measure);
}

/**
 * Goes through the newest calls as they were made: a longer tail would have saved each unchanged re-read of
 * what was dropped beyond the tail.
 */
export function learnTail(
  { messages, projected }: Pick<NextCall, "messages" | "projected">,
  bounds: TailBounds,
  rates: CacheRates,
  measure: MeasureMessage,
): Tail {
  const learner = new TailEstimator(bounds, rates, createFateLookup(projected));
  /** Holds measurements, the newest first, so that each message is measured once. */
  const seen: MessageMeasure[] = [];
  const measureTokens = (message: HostMessage) => {
    const measured = measure(message);
    seen.push(measured);
    return measured.tokens - FRAME_TOKENS;
  };
  const from = findNewestStart(messages, LOOK_BACK_TOKENS, measureTokens);
  for (const message of messages.slice(from))
    learner.recordMessage(message, seen.pop() ?? measure(message));
  const { tail } = learner;
  const isFixed = bounds.least === bounds.most;
  return isFixed
    ? { ...INITIAL_TAIL, keepTokens: bounds.start, growthTokens: tail.growthTokens }
    : tail;
}

/** A rewrite, described by what may be missed of the things that it removes. */
interface RewriteRegret {
  /** The tokens that the rewrite saves in each further call. */
  readonly saves: number;
  /** The likely cost, in input tokens, of re-reading what the rewrite removes, at the usual rate. */
  readonly asking: number;
  readonly space: Pick<CallSpace, "rates">;
}

/** Returns what a rewrite has to gain beyond its price, in input tokens. */
export function computeDebt(tail: Tail, { saves, asking, space }: RewriteRegret): number {
  const still = space.rates.write * Math.min(saves, tail.beyondTokens);
  return tail.debt + tail.asking * asking + INACTIVITY_MODEL.weight * tail.stillness * still;
}

/**
 * Estimates for how many calls kept results stay, on average: until the space is used up, or less. A model
 * that re-reads more than usual fills it sooner, which counts like more calls: squared by simulation
 * (decision 0147).
 */
export function estimateKeptCalls(
  { growthTokens, asking }: Pick<Tail, "growthTokens" | "asking">,
  { estimatedTokens, usableTokens }: CallSpace,
): number {
  if (usableTokens === null) return Number.POSITIVE_INFINITY;
  const spareTokens = Math.max(0, NEAR_SHARE * usableTokens - estimatedTokens);
  return (Math.max(1, asking) ** 2 * spareTokens) / Math.max(1, growthTokens) / 2;
}

const INITIAL_TAIL = {
  regret: 0,
  spared: 0,
  debt: 0,
  asking: 1,
  stillness: 0,
  beyondTokens: 0,
} as const;

interface TailPart {
  readonly end: number;
  readonly tokens: number;
  readonly text: string;
  readonly partId: string;
}

class TailEstimator {
  #keep: number;
  #regret = 0;
  #spared = 0;
  /** The costs over all examined calls. */
  readonly #regrets: ReReadCosts;
  #allSpared = 0;
  #end = 0;
  #made = 0;
  readonly #calls = new Map<string, TailPart>();
  /** The parts, in order. */
  readonly #seen: TailPart[] = [];
  /** The number of parts that are beyond the tail. */
  #beyond = 0;
  #beyondTokens = 0;
  /** The share of the last calls that looked up something new. */
  #activity = 1;
  #looksUp = false;

  constructor(
    private readonly bounds: TailBounds,
    private readonly rates: CacheRates,
    private readonly findFate: FindFate,
  ) {
    this.#keep = bounds.start;
    this.#regrets = new ReReadCosts(findFate);
  }

  get tail(): Tail {
    const debt = DEBT_WEIGHT * this.#regrets.total - this.#allSpared;
    return {
      keepTokens: Math.round(this.#keep),
      regret: this.#regret,
      spared: this.#spared,
      debt: Math.max(0, debt),
      asking: this.#computeAskingCost(),
      stillness: Math.max(0, 1 - this.#activity / INACTIVITY_MODEL.belowActivity),
      beyondTokens: this.#beyondTokens,
      growthTokens: this.#end / Math.max(1, this.#made),
    };
  }

  #computeAskingCost(): number {
    const gone = this.#seen.reduce(
      (sum, { partId, tokens }) => (this.findFate(partId) === "stands" ? sum : sum + tokens),
      0,
    );
    const asked = this.#regrets.total / this.rates.write;
    const usual = REREAD_PRIOR.share * REREAD_PRIOR.tokens;
    return Math.min(REREAD_PRIOR.mostTimes, (usual + asked) / (usual + REREAD_PRIOR.share * gone));
  }

  recordMessage(message: HostMessage, { parts }: MessageMeasure): void {
    if (isAnswer(message)) this.#recordCall();
    // A loop is used and no iterator, as this goes through thousands of parts in each call.
    for (let index = 0; index < parts.length; index++) {
      const part = message.parts[index];
      const facts = parts[index];
      if (!part || !facts) continue;
      const before = this.#end;
      this.#end += facts.tokens;
      if (isEndedCall(part)) this.#recordResult(part, facts, before);
    }
    if (isAnswer(message)) this.#adapt();
  }

  #recordCall(): void {
    this.#made += 1;
    for (; this.#beyond < this.#seen.length; this.#beyond += 1) {
      const next = this.#seen[this.#beyond];
      if (!next || this.#end - next.end < this.#keep) break;
      this.#beyondTokens += next.tokens;
    }
    const spared = this.rates.read * this.#beyondTokens;
    this.#allSpared += spared;
    this.#spared = this.#spared * (1 - FORGETTING_RATE) + spared;
    this.#regret *= 1 - FORGETTING_RATE;
    this.#looksUp = false;
  }

  #recordResult(part: EndedCall, { resultTokens: tokens, call }: PartFacts, before: number): void {
    const text = readResultText(part);
    const { key } = call ?? toCallFacts(part);
    const by = part.tool === "ctx_expand" ? "expansion" : "call";
    const former = this.#calls.get(key);
    const isUnchanged = former?.text === text;
    const asked = by === "expansion" ? this.#findExpanded(part) : isUnchanged ? former : undefined;
    if (asked) {
      const place = before - asked.end >= this.#keep ? "beyond" : "tail";
      this.#recordReRead(asked, { key, by, place, laterId: part.id });
    }
    if (!isUnchanged) this.#looksUp = true;
    const seen = { end: this.#end, tokens, text, partId: part.id };
    this.#calls.set(key, seen);
    this.#seen.push(seen);
  }

  #recordReRead(
    asked: TailPart,
    call: Pick<RepeatedRead, "key" | "by" | "place" | "laterId">,
  ): void {
    const { tokens, partId: formerId } = asked;
    this.#regret += this.#regrets.add({ ...call, formerId, cost: this.rates.write * tokens });
  }

  #findExpanded({ state }: EndedCall): TailPart | undefined {
    const { ref } = toFields(state.input);
    const read = typeof ref === "string" ? readRef(ref) : null;
    return read === null
      ? undefined
      : this.#seen.findLast(({ partId }) => deriveRef("r", partId) === read);
  }

  #adapt(): void {
    this.#activity += INACTIVITY_MODEL.forgetting * ((this.#looksUp ? 1 : 0) - this.#activity);
    const { least, most } = this.bounds;
    if (this.#regret > REGRET_TO_SAVINGS_RATIO * this.#spared && this.#regret > 0) {
      this.#keep = Math.min(most, this.#keep * GROWTH_FACTOR);
      this.#regret = 0;
    } else {
      this.#keep = Math.max(least, this.#keep * SHRINK_FACTOR);
    }
  }
}

/** Finds the index from which the newest messages hold this many tokens. */
export function findNewestStart(
  messages: readonly HostMessage[],
  tokens: number,
  countTokens: (message: HostMessage) => number,
): number {
  let sum = 0;
  let from = messages.length;
  while (from > 0 && sum < tokens) {
    from -= 1;
    const message = messages[from];
    if (message) sum += countTokens(message);
  }
  return from;
}
