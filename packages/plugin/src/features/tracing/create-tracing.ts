// Creates the spans of one plugin instance from what the host reports.
import { BoundedMap } from "../../context/bounded-map.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { BilledEvent, OutgoingCall } from "../../feature-api/feature-hooks.ts";
import type { BoundaryOutcome } from "../../feature-api/session-traces.ts";

/** The number of billed calls remembered, so that each is counted once although the host reports it twice. */
const MAX_CALLS = 1024;

export function createTracingFeature({ traces }: FeatureContext): FeatureInstance {
  const counted = new BoundedMap<string, "counted">(MAX_CALLS);
  const count = ({ sessionId, messageId, usage }: BilledEvent) => {
    if (counted.has(messageId)) return;
    counted.set(messageId, "counted");
    traces.recordUsage(sessionId, usage);
  };
  return {
    hooks: {
      onEvent(happening) {
        switch (happening.kind) {
          case "busy":
            return traces.recordBusy(happening.sessionId);
          case "idle":
            return traces.recordIdle(happening.sessionId);
          case "compacted":
            return traces.recordCompactionEnd(happening.sessionId);
          case "billed":
            return count(happening);
          case "saved":
          case "removed":
          case "deleted":
          case "refused":
          case "touched":
            return;
        }
      },
      boundary: ({ sessionId }) => traces.recordBoundaryStart(sessionId),
      sending: (call) => traces.recordBoundaryEnd(call.sessionId, toBoundaryOutcome(call)),
      compacting: async (sessionId) => traces.recordCompactionStart(sessionId),
      closed: () => traces.close(),
    },
  };
}

function toBoundaryOutcome(call: OutgoingCall): BoundaryOutcome {
  const { epoch, epochNumber, entries, startedAtMs, agent, to, modelId, messages } = call;
  const decided = entries.filter(({ decidedAtMs }) => decidedAtMs === startedAtMs);
  return {
    kind: epoch.startedAtMs === startedAtMs ? "opened" : "steady",
    agent,
    providerId: to.providerId,
    modelId,
    messages: messages.length,
    entries: decided.length,
    updates: decided.filter(({ edit, announced }) => edit !== null && announced.length > 0).length,
    epoch: {
      number: epochNumber,
      cause: epoch.cause,
      sources: epoch.parts.length,
      baselineChars: epoch.baseline.length,
    },
  };
}
