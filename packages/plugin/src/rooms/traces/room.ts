// Draws the spans of one plugin instance from what the host says.
import { Newest } from "../../context/newest.ts";
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import type { Billed, SendingCall } from "../../features/room-hooks.ts";
import type { BoundaryOutcome } from "../../features/session-traces.ts";

/** How many billed calls are remembered, to count each once: the host reports each twice. */
const REMEMBERED_CALLS = 1024;

export function openTraces({ traces }: House): Room {
  const counted = new Newest<string, "counted">(REMEMBERED_CALLS);
  const count = ({ sessionId, messageId, usage }: Billed) => {
    if (counted.has(messageId)) return;
    counted.set(messageId, "counted");
    traces.used(sessionId, usage);
  };
  return {
    hooks: {
      heard(happening) {
        switch (happening.kind) {
          case "busy":
            return traces.busy(happening.sessionId);
          case "idle":
            return traces.idle(happening.sessionId);
          case "compacted":
            return traces.compactionEnded(happening.sessionId);
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
      boundary: ({ sessionId }) => traces.boundaryBegan(sessionId),
      sending: (call) => traces.boundaryEnded(call.sessionId, outcomeOf(call)),
      compacting: async (sessionId) => traces.compactionBegan(sessionId),
      closed: () => traces.close(),
    },
  };
}

function outcomeOf(call: SendingCall): BoundaryOutcome {
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
