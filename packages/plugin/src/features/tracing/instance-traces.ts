// The traces of one plugin instance: lines of the log, and OpenTelemetry if the process collects spans.
// Folder: Spans of the runtime's work, for the log and OpenTelemetry.
import { SessionTraces } from "../../feature-api/session-traces.ts";
import {
  attributeNames,
  type EndedSpan,
  type JobName,
  type SpanSink,
} from "../../feature-api/span.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { FieldValue, Log } from "../../log/log.ts";
import type { TracesSettings } from "./feature.ts";
import { OpenTelemetrySpans } from "./open-telemetry.ts";

// Writes spans as lines of the log.

/** The jobs that run at every call or every idle moment. */
const FREQUENT_JOBS: ReadonlySet<unknown> = new Set<JobName>(["inbox", "turn-record"]);

/** Writes one line for each span when it ends: debug for spans of every call, info for the others. */
export function createLogSink(log: Log): SpanSink {
  return {
    began: () => undefined,
    ended(_span, whole) {
      const write = isFrequent(whole) ? log.debug : log.info;
      write(`trace.${whole.name}`, toLogFields(whole));
    },
  };
}

function isFrequent({ name, attributes }: EndedSpan): boolean {
  return name === "boundary" || FREQUENT_JOBS.has(attributes[attributeNames.job]);
}

function toLogFields(span: EndedSpan): Record<string, FieldValue> {
  const { ending, startedAtMs, endedAtMs } = span;
  const durationMs = Math.round((endedAtMs - startedAtMs) * 1000) / 1000;
  const outcome = ending.kind === "done" ? "done" : ending.reason;
  return { durationMs, outcome, ...span.attributes };
}

export function createInstanceTraces({ openTelemetry }: TracesSettings, log: Log): SessionTraces {
  const lines = createLogSink(log);
  const logFailure = (error: unknown) => log.warn("traces.no_api", toFaultFields(error));
  const sinks = openTelemetry === "auto" ? [lines, new OpenTelemetrySpans(logFailure)] : [lines];
  return new SessionTraces(sinks, () => performance.timeOrigin + performance.now());
}
