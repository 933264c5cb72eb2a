// The spans of all sessions: drains, boundaries, epochs, compactions, jobs.
import { BoundedMap } from "../context/bounded-map.ts";
import type { TurnUsage } from "../storage/records.ts";
import { sumContextTokens } from "../storage/turn-figures.ts";
import {
  type Attributes,
  attributeNames,
  type Job,
  type OpenSpan,
  type SpanEnd,
  type SpanName,
  type SpanSink,
} from "./span.ts";

/** The outcome of a boundary, as names and figures. */
export interface BoundaryOutcome {
  readonly kind: "opened" | "steady";
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The number of messages in the history as it is sent. */
  readonly messages: number;
  /**
   * The number of entries that this boundary has added to the ledger, and how many of them announce a change.
   */
  readonly entries: number;
  readonly updates: number;
  readonly epoch: {
    /** The epoch's number as /ctx-status counts it, from 1. */
    readonly number: number;
    readonly cause: string;
    readonly sources: number;
    readonly baselineChars: number;
  };
}

interface OpenDrain {
  readonly span: OpenSpan;
  readonly usage: TurnUsage;
  readonly boundaries: number;
  readonly updates: number;
  readonly model: Attributes;
}

/** The spans of a session that have begun and not yet ended. */
interface OpenSpans {
  drain: OpenDrain | null;
  boundary: OpenSpan | null;
  compaction: OpenSpan | null;
}

const NO_USAGE: TurnUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** The most sessions that are traced at once; beyond that, the oldest session's spans end unfinished. */
const MAX_FOLLOWED_SESSIONS = 256;

/**
 * The spans of all sessions of one plugin instance: a drain (a session's run from busy to idle) and, within
 * it, boundaries, epochs, compactions and jobs. Each call is cheap, and none throws.
 */
export class SessionTraces {
  readonly #underway = new BoundedMap<string, OpenSpans>(MAX_FOLLOWED_SESSIONS, (session) =>
    this.#closeSpans(session, createFailedEnd("forgotten")),
  );

  constructor(
    private readonly sinks: readonly SpanSink[],
    /** Milliseconds since 1970, with fractions. */
    private readonly now: () => number,
  ) {}

  /**
   * Begins the session's drain. Events may be late or lost, so the first boundary of the drain calls this
   * too.
   */
  recordBusy(sessionId: string): void {
    const session = this.#openSpans(sessionId);
    if (session.drain) return;
    const span = this.#beginSpan("drain", null, { [attributeNames.session]: sessionId });
    session.drain = { span, usage: NO_USAGE, boundaries: 0, updates: 0, model: {} };
  }

  /**
   * Ends the drain when the session becomes idle; other spans that are still open have not been completed.
   */
  recordIdle(sessionId: string): void {
    const session = this.#underway.get(sessionId);
    if (!session) return;
    this.#underway.delete(sessionId);
    this.#closeSpans(session, DONE_END);
  }

  /** Begins the span of a boundary, when a model call is being prepared. */
  recordBoundaryStart(sessionId: string): void {
    this.recordBusy(sessionId);
    const session = this.#openSpans(sessionId);
    if (session.boundary) this.#endSpan(session.boundary, {}, createFailedEnd("superseded"));
    session.boundary = this.#beginSpan("boundary", session.drain?.span ?? null, {
      [attributeNames.operation]: "chat",
      [attributeNames.session]: sessionId,
    });
  }

  /** Ends the boundary's span once its decision is committed and sent; a retry of the call changes nothing here. */
  recordBoundaryEnd(sessionId: string, outcome: BoundaryOutcome): void {
    const session = this.#underway.get(sessionId);
    const span = session?.boundary;
    if (!session || !span) return;
    session.boundary = null;
    const model = toModelAttributes(outcome);
    if (outcome.kind === "opened") this.#recordEpochStart(sessionId, span, outcome);
    this.#endSpan(
      span,
      {
        ...model,
        [attributeNames.agent]: outcome.agent,
        [attributeNames.boundaryKind]: outcome.kind,
        [attributeNames.epochNumber]: outcome.epoch.number,
        [attributeNames.messages]: outcome.messages,
        [attributeNames.entries]: outcome.entries,
        [attributeNames.updates]: outcome.updates,
      },
      DONE_END,
    );
    if (!session.drain) return;
    const { drain } = session;
    session.drain = {
      ...drain,
      boundaries: drain.boundaries + 1,
      updates: drain.updates + outcome.updates,
      model,
    };
  }

  recordCompactionStart(sessionId: string): void {
    this.recordBusy(sessionId);
    const session = this.#openSpans(sessionId);
    if (session.compaction) this.#endSpan(session.compaction, {}, createFailedEnd("superseded"));
    session.compaction = this.#beginSpan("compaction", session.drain?.span ?? null, {
      [attributeNames.session]: sessionId,
    });
  }

  recordCompactionEnd(sessionId: string): void {
    const session = this.#underway.get(sessionId);
    if (!session?.compaction) return;
    this.#endSpan(session.compaction, {}, DONE_END);
    session.compaction = null;
  }

  /** Records the provider's figures for one call; the caller makes sure that each call is recorded once. */
  recordUsage(sessionId: string, usage: TurnUsage): void {
    const session = this.#underway.get(sessionId);
    if (!session?.drain) return;
    session.drain = { ...session.drain, usage: addUsage(session.drain.usage, usage) };
  }

  /**
   * Traces a job and passes its result or error on to the caller; `note` adds attributes for the span's end.
   */
  async traceJob<Result>(
    { name, sessionId }: Job,
    work: (note: (attributes: Attributes) => void) => Promise<Result>,
  ): Promise<Result> {
    const session = sessionId === null ? null : this.#underway.get(sessionId);
    const parent = session?.compaction ?? session?.drain?.span ?? null;
    const of = sessionId === null ? {} : { [attributeNames.session]: sessionId };
    const span = this.#beginSpan("job", parent, { ...of, [attributeNames.job]: name });
    let noted: Attributes = {};
    try {
      const result = await work((attributes) => {
        noted = { ...noted, ...attributes };
      });
      this.#endSpan(span, noted, DONE_END);
      return result;
    } catch (error) {
      this.#endSpan(
        span,
        noted,
        createFailedEnd(error instanceof Error ? error.name : typeof error),
      );
      throw error;
    }
  }

  /** Ends all open spans when the instance ends. */
  close(): void {
    for (const session of this.#underway.values())
      this.#closeSpans(session, createFailedEnd("closed"));
    this.#underway.clear();
  }

  /** Records an epoch's start, as part of the boundary that first sends the epoch. */
  #recordEpochStart(sessionId: string, boundary: OpenSpan, { epoch }: BoundaryOutcome): void {
    const attributes = {
      [attributeNames.session]: sessionId,
      [attributeNames.epochNumber]: epoch.number,
      [attributeNames.epochCause]: epoch.cause,
      [attributeNames.epochSources]: epoch.sources,
      [attributeNames.baselineChars]: epoch.baselineChars,
    };
    this.#endSpan(
      this.#beginSpan("epoch", boundary, attributes, boundary.startedAtMs),
      {},
      DONE_END,
    );
  }

  #closeSpans(session: OpenSpans, ending: SpanEnd): void {
    const { boundary, compaction, drain } = session;
    if (boundary) this.#endSpan(boundary, {}, createFailedEnd("unfinished"));
    if (compaction) this.#endSpan(compaction, {}, createFailedEnd("unfinished"));
    if (drain) this.#endSpan(drain.span, toDrainAttributes(drain), ending);
  }

  #openSpans(sessionId: string): OpenSpans {
    const known = this.#underway.get(sessionId);
    if (known) return known;
    const session: OpenSpans = { drain: null, boundary: null, compaction: null };
    this.#underway.set(sessionId, session);
    return session;
  }

  #beginSpan(
    name: SpanName,
    parent: OpenSpan | null,
    attributes: Attributes,
    startedAtMs = this.now(),
  ): OpenSpan {
    const span = { name, parent, startedAtMs, attributes };
    for (const sink of this.sinks) sink.began(span);
    return span;
  }

  #endSpan(span: OpenSpan, added: Attributes, ending: SpanEnd): void {
    const attributes = { ...span.attributes, ...added };
    const whole = { ...span, attributes, endedAtMs: this.now(), ending };
    for (const sink of this.sinks) sink.ended(span, whole);
  }
}

const DONE_END: SpanEnd = { kind: "done" };

function createFailedEnd(reason: string): SpanEnd {
  return { kind: "failed", reason };
}

function toModelAttributes({ providerId, modelId }: BoundaryOutcome): Attributes {
  return { [attributeNames.provider]: providerId, [attributeNames.model]: modelId };
}

function toDrainAttributes({ usage, boundaries, updates, model }: OpenDrain): Attributes {
  return {
    ...model,
    [attributeNames.boundaries]: boundaries,
    [attributeNames.updates]: updates,
    [attributeNames.inputTokens]: sumContextTokens(usage),
    [attributeNames.outputTokens]: usage.outputTokens,
    [attributeNames.cacheReadTokens]: usage.cacheReadTokens,
    [attributeNames.cacheWriteTokens]: usage.cacheWriteTokens,
  };
}

function addUsage(one: TurnUsage, other: TurnUsage): TurnUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}
