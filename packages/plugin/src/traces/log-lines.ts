import type { Log } from "../log/log.ts";
import type { FieldValue } from "../log/redact.ts";
import type { EndedSpan, SpanSink } from "./span.ts";

/** One line for each span, at its end: boundaries at level debug, the others at info. */
export function logLines(log: Log): SpanSink {
  return {
    began: () => undefined,
    ended(_span, whole) {
      const write = whole.name === "boundary" ? log.debug : log.info;
      write(`trace.${whole.name}`, fieldsOf(whole));
    },
  };
}

function fieldsOf(span: EndedSpan): Record<string, FieldValue> {
  const { ending, startedAtMs, endedAtMs } = span;
  const durationMs = Math.round((endedAtMs - startedAtMs) * 1000) / 1000;
  const outcome = ending.kind === "done" ? "done" : ending.reason;
  return { durationMs, outcome, ...span.attributes };
}
