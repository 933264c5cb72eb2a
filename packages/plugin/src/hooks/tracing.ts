// Wraps the hooks in spans.
import type { Hooks } from "@opencode-ai/plugin";
import type { SentCall } from "../session/runtime.ts";
import type { SessionId } from "../storage/records.ts";
import type { BoundaryOutcome } from "../traces/session-traces.ts";
import type { ComposedPlugin } from "./compose.ts";
import { guardAtOnce } from "./guard.ts";

type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

/** How many settled rows are remembered, to count each once: the host tells of each twice. */
const REMEMBERED_ROWS = 1024;

/** The hooks, with spans around what they do. A failure of the tracing is told and changes nothing. */
export function traced(hooks: Hooks, plugin: ComposedPlugin): Hooks {
  const { runtime, traces, failures, hostConfig } = plugin;
  const counted = new Set<string>();
  const trace = (work: () => void) => {
    if (hostConfig.standing === "only") guardAtOnce(failures, "traces", work);
  };
  return {
    ...hooks,
    event: async (input) => {
      // Busy before the work, idle after it: what the hook does is part of the drain.
      trace(() => hearEvent(plugin, counted, input.event));
      await hooks.event?.(input);
    },
    "experimental.chat.messages.transform": async (input, output) => {
      const sessionId = output.messages[0]?.info.sessionID as SessionId | undefined;
      trace(() => {
        if (sessionId === undefined || runtime.isCompacting(sessionId)) return;
        traces.boundaryBegan(sessionId);
      });
      await hooks["experimental.chat.messages.transform"]?.(input, output);
    },
    "experimental.chat.system.transform": async (input, output) => {
      await hooks["experimental.chat.system.transform"]?.(input, output);
      trace(() => {
        const { sessionID } = input;
        const call = sessionID === undefined ? null : runtime.sentCall(sessionID as SessionId);
        if (call && sessionID !== undefined) traces.boundaryEnded(sessionID, outcomeOf(call));
      });
    },
    "experimental.session.compacting": async (input, output) => {
      trace(() => traces.compactionBegan(input.sessionID));
      await hooks["experimental.session.compacting"]?.(input, output);
    },
    dispose: async () => {
      trace(() => traces.close());
      await hooks.dispose?.();
    },
  };
}

function hearEvent({ traces }: ComposedPlugin, counted: Set<string>, event: HostEvent): void {
  switch (event.type) {
    case "session.status": {
      const { sessionID, status } = event.properties;
      if (status.type === "idle") traces.idle(sessionID);
      else traces.busy(sessionID);
      break;
    }
    case "session.compacted":
      traces.compactionEnded(event.properties.sessionID);
      break;
    case "message.updated": {
      const { info } = event.properties;
      if (info.role !== "assistant" || counted.has(info.id)) break;
      const { input, output, cache } = info.tokens;
      if (input + output + cache.read + cache.write === 0) break;
      counted.add(info.id);
      if (counted.size > REMEMBERED_ROWS) dropOldest(counted);
      traces.used(info.sessionID, {
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cache.read,
        cacheWriteTokens: cache.write,
      });
      break;
    }
    default:
      break;
  }
}

function dropOldest(set: Set<string>): void {
  for (const oldest of set) {
    set.delete(oldest);
    return;
  }
}

function outcomeOf({ epoch, epochNumber, entries, facts }: SentCall): BoundaryOutcome {
  const decided = entries.filter(({ decidedAtMs }) => decidedAtMs === facts.startedAtMs);
  return {
    kind: epoch.startedAtMs === facts.startedAtMs ? "opened" : "steady",
    agent: facts.agent,
    providerId: facts.providerId,
    modelId: facts.modelId,
    messages: facts.messages.length,
    entries: decided.length,
    updates: decided.filter(({ edit, told }) => edit !== null && told.length > 0).length,
    epoch: {
      number: epochNumber,
      cause: epoch.cause,
      sources: epoch.parts.length,
      baselineChars: epoch.baseline.length,
    },
  };
}
