import type { EndedSpan, OpenSpan, SpanSink } from "../../../src/feature-api/span.ts";

/** A sink that keeps what it is given. */
export class RecordedSpans implements SpanSink {
  readonly begun: OpenSpan[] = [];
  readonly all: EndedSpan[] = [];

  began(span: OpenSpan): void {
    this.begun.push(span);
  }

  ended(_span: OpenSpan, whole: EndedSpan): void {
    this.all.push(whole);
  }

  names(): readonly string[] {
    return this.all.map(({ name, ending }) =>
      ending.kind === "done" ? name : `${name} ${ending.reason}`,
    );
  }
}

export const outcome = {
  kind: "steady",
  agent: "build",
  providerId: "anthropic",
  modelId: "claude-opus-5",
  messages: 3,
  entries: 2,
  updates: 1,
  epoch: { number: 1, cause: "first", sources: 4, baselineChars: 900 },
} as const;

export const usage = {
  inputTokens: 10,
  outputTokens: 20,
  cacheReadTokens: 300,
  cacheWriteTokens: 4,
};
