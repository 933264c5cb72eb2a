// Declares a span, and the names of its attributes.

/** The kinds of traced work: each piece of work is one span, and one line of the log. */
export type SpanName = "drain" | "boundary" | "epoch" | "compaction" | "job";

/** Work outside a session's model calls. */
export type JobName =
  /** The brief of a compaction is made and stored. */
  | "brief"
  /** Expired files are deleted. */
  | "retention"
  /** The instance searches for what an earlier process has left. */
  | "recovery"
  /** One check of a session's inbox, with the step that follows. */
  | "inbox"
  /** A call's turn is recorded, after the call was sent. */
  | "turn-record"
  /** A feature's job is attempted. */
  | "background";

export interface Job {
  readonly name: JobName;
  /** The session's id; null if the span belongs to no session. */
  readonly sessionId: string | null;
}

/** Figures and names, ours and the host's. Never the text of a message, never a credential. */
type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanEnd =
  | { readonly kind: "done" }
  /** The work was not completed: `reason` is a word of ours, or the name of an error's class. */
  | { readonly kind: "failed"; readonly reason: string };

/** A span that has begun. Times are milliseconds since 1970, with fractions. */
export interface OpenSpan {
  readonly name: SpanName;
  readonly parent: OpenSpan | null;
  readonly startedAtMs: number;
  readonly attributes: Attributes;
}

export interface EndedSpan extends OpenSpan {
  readonly endedAtMs: number;
  readonly ending: SpanEnd;
}

/**
 * Receives spans; neither method throws. `ended` gets the same `span` object that was begun, and the complete
 * span.
 */
export interface SpanSink {
  began(span: OpenSpan): void;
  ended(span: OpenSpan, whole: EndedSpan): void;
}

/** The attribute names of OpenTelemetry's conventions for generative AI, and our own for what they lack. */
export const attributeNames = {
  operation: "gen_ai.operation.name",
  session: "gen_ai.conversation.id",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  agent: "gen_ai.agent.name",
  /** All input tokens, including those read from the cache and written to it. */
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  errorType: "error.type",
  boundaries: "session_runtime.boundaries",
  boundaryKind: "session_runtime.boundary.kind",
  entries: "session_runtime.entries",
  updates: "session_runtime.updates",
  messages: "session_runtime.messages",
  epochNumber: "session_runtime.epoch.number",
  epochCause: "session_runtime.epoch.cause",
  epochSources: "session_runtime.epoch.sources",
  baselineChars: "session_runtime.epoch.baseline_chars",
  job: "session_runtime.job.name",
  briefChars: "session_runtime.brief.chars",
  removedFiles: "session_runtime.retention.removed",
  inboxOutcome: "session_runtime.inbox.outcome",
  jobKind: "session_runtime.job.kind",
  jobOutcome: "session_runtime.job.outcome",
} as const;
