// The traces of one plugin instance: lines of the log, and OpenTelemetry where the process takes them.
// Folder: Spans of the runtime's work, for the log and OpenTelemetry.

import { SessionTraces } from "../../feature-api/session-traces.ts";
import { faultFields } from "../../log/fault.ts";
import type { Log } from "../../log/log.ts";
import { logLines } from "./log-lines.ts";
import { OpenTelemetrySpans } from "./open-telemetry.ts";
import type { TracesSettings } from "./settings.ts";

export function instanceTraces({ openTelemetry }: TracesSettings, log: Log): SessionTraces {
  const lines = logLines(log);
  const failed = (error: unknown) => log.warn("traces.no_api", faultFields(error));
  const sinks = openTelemetry === "auto" ? [lines, new OpenTelemetrySpans(failed)] : [lines];
  return new SessionTraces(sinks, () => performance.timeOrigin + performance.now());
}
