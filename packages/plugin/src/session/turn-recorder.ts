// Records provider turns after the send: digests, figures, causes of busts.
import { hashText } from "../context/canonical.ts";
import { cacheByMessage, digestContent, type KnownContent } from "../ledger/digest.ts";
import { estimateMessageTokens } from "../ledger/tokens.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { BustCause, LayerDigests, SessionId, TurnUsage } from "../storage/records.ts";
import {
  explainBust,
  explainFallback,
  explainMissedRead,
  type FallbackCause,
  opensEpoch,
  RecentCalls,
  type TurnTrace,
} from "./bust.ts";
import { type RuntimeSettings, toColdPauseMs } from "./call-deps.ts";
import type { PassFacts } from "./pass.ts";
import {
  computeBilledTokens,
  computeCost,
  countHeldTokens,
  type HeldTokens,
  type HostWithoutPlugin,
  NO_HELD_TOKENS,
  OfferedToolCollector,
  type OfferedTools,
  PER_CALL_RENDERING_HOST,
  type Price,
} from "./turn-cost.ts";

/** The system layers as they were sent. */
export interface SentSystem {
  readonly preamble: string;
  readonly baseline: string;
  readonly live: string;
}

/** A model call that is being sent. */
export interface SentTurn {
  readonly sessionId: SessionId;
  readonly epochSeq: number;
  readonly facts: PassFacts;
  readonly system: SentSystem;
  /** Index, in the sent history, of the last message that an earlier call had sent; -1 if there is none. */
  readonly formerEnd: number;
  readonly newMessageIds: readonly string[];
}

/** The provider's figures of one call. */
interface ReportedCall {
  readonly sessionId: SessionId;
  /** `provider/model` */
  readonly model: string;
  readonly usage: TurnUsage;
  /** The charge in US dollars, as the host reports it. */
  readonly paidUsd: number;
  /** The assistant message that the call made; the host reports it twice, and it counts once. */
  readonly messageId: string;
}

interface TurnRecorderDeps {
  readonly database: () => RuntimeDatabase;
  readonly settings: Pick<RuntimeSettings, "cacheTtlMs">;
  /** The tokens that each of our own tools, by name, takes in a request. */
  readonly toolTokens: ReadonlyMap<string, number>;
  /** Runs work after the send; the work never throws. */
  readonly defer: (sessionId: SessionId, work: () => void) => void;
  readonly storageFailed: (error: unknown) => void;
  /** Is called when a row was written. */
  readonly storageWorks: () => void;
}

/** Records provider turns after the send, with their digests and the causes of cache busts. */
export class TurnRecorder {
  readonly #former = new Map<string, TurnTrace>();
  readonly #fellBack = new Map<string, FallbackCause>();
  readonly #round = new OfferedToolCollector();
  readonly #offered = new Map<SessionId, OfferedTools>();
  /** Servers whose changes were reported in this process, oldest first. */
  readonly #changedServers: string[] = [];
  /** The number of reported server changes when the newest turn of a session and model was recorded. */
  readonly #heardServers = new Map<string, number>();
  readonly #known = new Map<SessionId, Map<string, KnownContent>>();
  readonly #calls = new RecentCalls();
  /** Prices by `provider/model`. */
  readonly #prices = new Map<string, Price>();
  /** Holds what the host would have done without the plugin at a session's newest call, if reported. */
  readonly #alone = new Map<SessionId, HostWithoutPlugin>();
  /** The tokens that the newest turn of a session and model held. */
  readonly #held = new Map<string, HeldTokens>();
  readonly #countTokens = cacheByMessage(estimateMessageTokens);
  #pending: (() => void)[] = [];

  constructor(private readonly deps: TurnRecorderDeps) {}

  /** Records a tool as the host offers it to the call that it prepares. */
  recordTool(toolId: string, description: string): void {
    this.#round.recordTool(toolId, description);
  }

  /** Discards the tools described last, which are for another call. */
  discardTools(): void {
    this.#round.take();
  }

  /** Begins a call once the host has described all its tools; `historyIds` are its messages' ids. */
  beginCall(sessionId: SessionId, historyIds: readonly string[]): void {
    this.#offered.set(sessionId, this.#round.take());
    this.#calls.begin(sessionId, historyIds);
  }

  /** Records the host's price record of a model that is about to be called. */
  recordPrice(model: string, price: Price): void {
    this.#prices.set(model, price);
  }

  /** Records what the host alone would do, if it doesn't write each change into its prompt at once. */
  recordHostAlone(sessionId: SessionId, alone: HostWithoutPlugin): void {
    this.#alone.set(sessionId, alone);
  }

  /** Records that an MCP server's tools have changed, come or gone: the hooks of a call don't learn of it. */
  recordServerChange(server: string): void {
    this.#changedServers.push(server);
  }

  record(turn: SentTurn): void {
    const offered = this.#offered.get(turn.sessionId) ?? null;
    this.#pending.push(() => this.#write(turn, offered));
    this.#calls.recordSent(turn.sessionId, turn.facts.startedAtMs);
    this.deps.defer(turn.sessionId, () => this.flush());
  }

  flush(): void {
    const work = this.#pending;
    this.#pending = [];
    for (const write of work) {
      try {
        write();
        this.deps.storageWorks();
      } catch (error) {
        this.deps.storageFailed(error);
      }
    }
  }

  /** Records that updates sent to this model in its own role went back to text in the newest call. */
  recordFallback(sessionId: SessionId, model: string, why: FallbackCause): void {
    this.#fellBack.set(toTraceKey(sessionId, model), why);
  }

  /** Stores the provider's own figures for a call. */
  settle({ sessionId, model, usage, paidUsd, messageId }: ReportedCall): void {
    const sentAtMs = this.#calls.takeSentAtMs(sessionId, messageId);
    if (sentAtMs === null) return;
    this.flush();
    const key = toTraceKey(sessionId, model);
    const trace = this.#former.get(key);
    const fellBack = this.#fellBack.get(key);
    this.#fellBack.delete(key);
    const missed = trace ? explainMissedRead(trace, usage) : null;
    const bust = fellBack
      ? toBustCause("known", explainFallback(fellBack))
      : toBustCause("guessed", missed);
    const price = this.#prices.get(model) ?? null;
    const held = this.#held.get(key) ?? NO_HELD_TOKENS;
    const { turns } = this.deps.database();
    const updates = turns.updateBytes(sessionId, sentAtMs);
    const cost = computeCost({
      usage,
      paidUsd,
      price,
      updates,
      alone: this.#alone.get(sessionId) ?? PER_CALL_RENDERING_HOST,
      ...computeBilledTokens(held, trace?.usage ?? null, updates),
    });
    turns.settle(sessionId, { usage, cost, bust, sentAtMs });
    if (trace) this.#former.set(key, { ...trace, usage });
  }

  forget(sessionId: SessionId): void {
    this.#known.delete(sessionId);
    this.#offered.delete(sessionId);
    this.#alone.delete(sessionId);
    this.#calls.forget(sessionId);
    for (const known of [this.#former, this.#fellBack, this.#heardServers, this.#held]) {
      for (const key of known.keys()) if (key.startsWith(`${sessionId} `)) known.delete(key);
    }
  }

  #write(turn: SentTurn, offered: OfferedTools): void {
    const { facts } = turn;
    const key = toTraceKey(turn.sessionId, `${facts.providerId}/${facts.modelId}`);
    const sent = {
      epochSeq: turn.epochSeq,
      sentAtMs: facts.startedAtMs,
      digests: { ...this.#computeDigests(turn), tools: hashUnknownTools() },
    };
    const former = this.#former.get(key) ?? this.#readStoredBefore(turn, { key, sent });
    const before = former?.digests.tools ?? hashUnknownTools();
    const tools = offered ? digestTools(offered, facts) : before;
    const current = { ...sent, digests: { ...sent.digests, tools } };
    const known = before === hashUnknownTools() ? tools : before;
    const bust = explainBust({
      former: former && { ...former, digests: { ...former.digests, tools: known } },
      current,
      rewrite: facts.rewrite,
      changedServer: this.#findChange(key),
      coldPauseMs: former && toColdPauseMs(this.deps.settings, current.sentAtMs - former.sentAtMs),
    });
    // This runs even if the row can't be written: the call was sent, and the next is compared with it.
    const opening = opensEpoch(former, current) ? "new epoch" : "same epoch";
    this.#former.set(key, { ...current, opening, usage: former?.usage ?? null });
    this.#held.set(
      key,
      countHeldTokens(turn, offered, {
        before: this.#held.get(key) ?? NO_HELD_TOKENS,
        toolTokens: this.deps.toolTokens,
        countTokens: this.#countTokens,
      }),
    );
    this.deps.database().turns.append({
      sessionId: turn.sessionId,
      epochSeq: turn.epochSeq,
      providerId: facts.providerId,
      modelId: facts.modelId,
      agent: facts.agent,
      sentAtMs: facts.startedAtMs,
      newMessageIds: turn.newMessageIds,
      digests: current.digests,
      bust,
    });
  }

  /** Reads the stored turn before this one. If it can't be read, the next call is compared with this one. */
  #readStoredBefore(
    turn: SentTurn,
    { key, sent }: { readonly key: string; readonly sent: Omit<TurnTrace, "usage" | "opening"> },
  ): TurnTrace | null {
    try {
      return this.#findStored(turn);
    } catch (error) {
      this.#former.set(key, { ...sent, opening: "same epoch", usage: null });
      throw error;
    }
  }

  /** Reads the newest stored turn of the same model, which after a restart is no longer in memory. */
  #findStored(turn: SentTurn): TurnTrace | null {
    const recent = this.deps.database().turns.recent(turn.sessionId, 16);
    const { providerId, modelId } = turn.facts;
    const row = recent.find((one) => one.providerId === providerId && one.modelId === modelId);
    return row ? { ...row, opening: "same epoch" } : null;
  }

  /**
   * Finds the newest server change since the last turn of a session and model, in the order of reports
   * instead of by time: a change may be reported after a call begins.
   */
  #findChange(key: string): string | null {
    const heard = this.#heardServers.get(key) ?? this.#changedServers.length;
    this.#heardServers.set(key, this.#changedServers.length);
    return this.#changedServers.slice(heard).at(-1) ?? null;
  }

  #computeDigests(turn: SentTurn): Omit<LayerDigests, "tools"> {
    const { messages } = turn.facts;
    const known = this.#known.get(turn.sessionId) ?? new Map<string, KnownContent>();
    this.#known.set(turn.sessionId, known);
    return {
      preamble: hashText(turn.system.preamble),
      baseline: hashText(turn.system.baseline),
      live: hashText(turn.system.live),
      history: digestContent(messages, messages.length - 1, known),
      historyAtWatermark: digestContent(messages, turn.formerEnd, known),
    };
  }
}

function toBustCause(kind: BustCause["kind"], cause: string | null): BustCause | null {
  return cause === null ? null : { kind, cause };
}

function hashUnknownTools(): string {
  return hashText("");
}

/** Digests the tools and the structured note, for which the host adds a tool of its own. */
function digestTools(offered: ReadonlyMap<string, string>, { structuredNote }: PassFacts): string {
  return hashText(JSON.stringify([[...offered].sort(), structuredNote]));
}

function toTraceKey(sessionId: SessionId, model: string): string {
  return `${sessionId} ${model}`;
}
