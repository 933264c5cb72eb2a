// The host's two transforms of a call: its history, changed in one splice, and the Baseline in its strings.
import type { Hooks } from "@opencode-ai/plugin";
import type { SentCall } from "../feature-api/feature-hooks.ts";
import type { WithheldToolLookup } from "../runtime/unoffered-tools.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { hasCacheBreakpoints, type ModelIdentity } from "../session/session-sources.ts";
import type { SessionId } from "../storage/records.ts";

// Withholds our own tools from one call, by the host's switch for a prompt's tools.

type ParamsInput = Parameters<NonNullable<Hooks["chat.params"]>>[0];

/**
 * Turns tools off for one call. After this hook, the host reads the prompt's own `tools` and omits those that
 * are off. The row is this call's copy of the stored row (read in OpenCode 1.18.33, LLMRequestPrep.prepare).
 */
export function removeWithheld(
  withheld: Pick<WithheldToolLookup, "newest">,
  { sessionID, agent, message }: Pick<ParamsInput, "sessionID" | "agent" | "message">,
): void {
  const names = withheld.newest(sessionID as SessionId, agent);
  if (names.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(names.map((name) => [name, false])) };
}

type MessagesTransform = NonNullable<Hooks["experimental.chat.messages.transform"]>;
type Messages = Parameters<MessagesTransform>[1]["messages"];
type SystemTransform = NonNullable<Hooks["experimental.chat.system.transform"]>;
type SystemInput = Parameters<SystemTransform>[0];

/**
 * Replaces the messages. A title call also reads the host's own array, so it is changed in one splice, after
 * everything that could fail. `sent` receives every history except that of a compaction's own call.
 */
export async function transformMessages(
  runtime: SessionRuntime,
  messages: Messages,
  sent: (history: SentCall) => void,
): Promise<void> {
  const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
  const isBoundary = sessionId !== undefined && !runtime.isCompacting(sessionId);
  const host = [...messages];
  const projected = await runtime.projectHistory(messages);
  if (isBoundary) sent({ sessionId, host, sent: [...projected] });
  if (projected === messages) return;
  // Replay copies the host's own rows and builds user rows after their pattern.
  messages.splice(0, messages.length, ...(projected as Messages));
}

export function transformSystem(
  runtime: SessionRuntime,
  input: SystemInput,
  system: string[],
): void {
  if (input.sessionID === undefined) return;
  const composed = runtime.composeSystem({
    sessionId: input.sessionID as SessionId,
    model: toModelIdentity(input.model),
    strings: system,
  });
  if (composed !== system) system.splice(0, system.length, ...composed);
}

/** Records a price; zeros mean that the host knows no price. */
export function recordPrice(runtime: SessionRuntime, model: SystemInput["model"]): void {
  const { providerID, id, cost } = model;
  runtime.turns.recordPrice(`${providerID}/${id}`, {
    input: cost.input,
    output: cost.output,
    cacheRead: cost.cache.read,
    cacheWrite: cost.cache.write,
    caching: hasCacheBreakpoints(toModelIdentity(model)) ? "breakpoints" : "automatic",
  });
}

function toModelIdentity(model: SystemInput["model"]): ModelIdentity {
  return {
    providerId: model.providerID,
    modelId: model.id,
    apiId: model.api.id,
    npm: model.api.npm,
  };
}
