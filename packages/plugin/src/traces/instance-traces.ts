// Builds the traces of one plugin instance: the log, and OpenTelemetry where present.
import type { Config } from "../config/schema.ts";
import { faultFields } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import { logLines } from "../traces/log-lines.ts";
import { OpenTelemetrySpans } from "../traces/open-telemetry.ts";
import { SessionTraces } from "../traces/session-traces.ts";

/** Spans as lines of the log, and to OpenTelemetry where the process takes them. */
export function composeTraces(config: Config, log: Log): SessionTraces {
  const lines = logLines(log);
  const failed = (error: unknown) => log.warn("traces.no_api", faultFields(error));
  const sinks =
    config.traces.openTelemetry === "auto" ? [lines, new OpenTelemetrySpans(failed)] : [lines];
  return new SessionTraces(sinks, () => performance.timeOrigin + performance.now());
}
