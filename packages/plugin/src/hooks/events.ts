// Reads call figures, idle and busy states, and deleted sessions from the host's bus.
import type { Hooks } from "@opencode-ai/plugin";
import type { SessionEvent } from "../feature-api/feature-hooks.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { SessionId, TurnUsage } from "../storage/records.ts";

type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

/**
 * Passes an event of the host's bus to the runtime, whose state never depends on it, as an event may be
 * missed.
 */
export function handleEvent(
  runtime: SessionRuntime,
  event: HostEvent,
  happening: SessionEvent | null,
): void {
  if (event.type === "message.updated") handleMessage(runtime, event.properties.info);
  if (happening?.kind === "deleted") runtime.removeSession(happening.sessionId);
  if (happening?.kind === "busy" || happening?.kind === "idle") {
    runtime.setStatus(happening.sessionId, happening.kind);
  }
}

type MessageInfo = Extract<HostEvent, { type: "message.updated" }>["properties"]["info"];
/**
 * Reads usage. An assistant row comes twice per call with its figures; a row without figures is not a call
 * yet.
 */
function readUsage({ tokens }: Extract<MessageInfo, { role: "assistant" }>): TurnUsage | null {
  const { input, output, cache } = tokens;
  if (input + output + cache.read + cache.write === 0) return null;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write,
  };
}

/** Handles a message; a summary's call is not one of the session's turns. */
function handleMessage(runtime: SessionRuntime, info: MessageInfo): void {
  if (info.role !== "assistant" || info.summary) return;
  const usage = readUsage(info);
  if (usage === null) return;
  runtime.turns.settle({
    sessionId: info.sessionID as SessionId,
    messageId: info.id,
    model: `${info.providerID}/${info.modelID}`,
    paidUsd: info.cost,
    usage,
  });
}

function toUpdateEvent(info: MessageInfo): SessionEvent {
  const of = { sessionId: info.sessionID as SessionId, messageId: info.id };
  if (info.role === "user") return { kind: "saved", ...of };
  const usage = readUsage(info);
  return usage ? { kind: "billed", ...of, usage } : { kind: "touched", ...of };
}

/** An error as the host publishes it; the host's own types don't name an overflow (OpenCode 1.18.33). */
interface HostError {
  readonly name: string;
  readonly data?: {
    readonly message?: unknown;
    readonly responseBody?: unknown;
    readonly isRetryable?: unknown;
  };
}

/**
 * Recognises refusals for length, which have a name of their own, or a general name if the host doesn't
 * recognise the message.
 */
function toRefusalEvent({
  sessionID,
  error,
}: {
  readonly sessionID?: string;
  readonly error?: HostError;
}): SessionEvent | null {
  if (sessionID === undefined || !error?.data) return null;
  const { message, responseBody, isRetryable } = error.data;
  const isFinal = error.name === "APIError" && isRetryable === false;
  if (error.name !== "ContextOverflowError" && !isFinal) return null;
  const said = [message, responseBody].filter((text) => typeof text === "string");
  return { kind: "refused", sessionId: sessionID as SessionId, said, model: null };
}

/** Translates an event for features; null for the many that don't concern them. */
export function readSessionEvent(event: HostEvent): SessionEvent | null {
  switch (event.type) {
    case "message.updated":
      return toUpdateEvent(event.properties.info);
    case "message.removed": {
      const { sessionID, messageID } = event.properties;
      return { kind: "removed", sessionId: sessionID as SessionId, messageId: messageID };
    }
    case "session.status": {
      const { sessionID, status } = event.properties;
      const kind = status.type === "idle" ? "idle" : "busy";
      return { kind, sessionId: sessionID as SessionId };
    }
    case "session.error":
      return toRefusalEvent(event.properties);
    case "session.compacted":
      return { kind: "compacted", sessionId: event.properties.sessionID as SessionId };
    case "session.updated":
      return { kind: "touched", sessionId: event.properties.info.id as SessionId };
    case "session.deleted":
      return { kind: "deleted", sessionId: event.properties.info.id as SessionId };
    default:
      return null;
  }
}
