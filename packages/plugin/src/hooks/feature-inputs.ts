// Translates the inputs of the host's hooks for features: an arriving prompt, an outgoing call.
import type { Hooks } from "@opencode-ai/plugin";
import type { CallTarget, OutgoingCall } from "../feature-api/feature-hooks.ts";
import type { ArrivingPrompt } from "../feature-api/prompt.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { SessionId } from "../storage/records.ts";

type ChatMessage = Parameters<NonNullable<Hooks["chat.message"]>>;
type ParamsInput = Parameters<NonNullable<Hooks["chat.params"]>>[0];

export function toArrivingPrompt(
  input: ChatMessage[0],
  { message, parts }: ChatMessage[1],
): ArrivingPrompt {
  const { agent = null, model = null, variant = null } = input;
  return {
    sessionId: input.sessionID as SessionId,
    // These are the live rows: the host saves changes to them.
    message: message as ArrivingPrompt["message"],
    parts: parts as ArrivingPrompt["parts"][number][],
    asked: { agent, model, variant },
  };
}

/** Returns null for the calls of titles and compactions, which have other agents and contain no updates. */
export function toSendingCall(runtime: SessionRuntime, input: ParamsInput): OutgoingCall | null {
  const sessionId = input.sessionID as SessionId;
  const call = runtime.findSentCall(sessionId);
  if (!call || call.facts.agent !== input.agent) return null;
  const { epoch, epochNumber, entries, facts } = call;
  const { agent, modelId, messages, startedAtMs } = facts;
  return {
    sessionId,
    agent,
    modelId,
    messages,
    startedAtMs,
    epoch,
    epochNumber,
    entries,
    to: toCallTarget(input),
    fellBack: (model, why) => runtime.turns.recordFallback(sessionId, model, why),
  };
}

function toCallTarget({ model, provider }: ParamsInput): CallTarget {
  const { fetch, baseURL } = provider.options;
  const baseUrl = typeof baseURL === "string" ? baseURL : model.api.url;
  return {
    providerId: model.providerID,
    apiId: model.api.id,
    npm: model.api.npm,
    baseUrl: baseUrl === "" ? null : baseUrl,
    fetch: fetch === undefined ? "host" : "own",
  };
}
