// experimental.chat.system.transform: the stored Baseline in the host's strings.
import type { Hooks } from "@opencode-ai/plugin";
import { hasCacheBreakpoints, type ModelIdentity } from "../session/breakpoints.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { SessionId } from "../storage/records.ts";

type SystemTransform = NonNullable<Hooks["experimental.chat.system.transform"]>;
type Input = Parameters<SystemTransform>[0];

export function transformSystem(runtime: SessionRuntime, input: Input, system: string[]): void {
  if (input.sessionID === undefined) return;
  const composed = runtime.composeSystem({
    sessionId: input.sessionID as SessionId,
    model: identityOf(input.model),
    strings: system,
  });
  if (composed !== system) system.splice(0, system.length, ...composed);
}

/** Zeros say that the host knows no price. */
export function sawPrice(runtime: SessionRuntime, model: Input["model"]): void {
  const { providerID, id, cost } = model;
  runtime.turns.sawPrice(`${providerID}/${id}`, {
    input: cost.input,
    output: cost.output,
    cacheRead: cost.cache.read,
    cacheWrite: cost.cache.write,
    caching: hasCacheBreakpoints(identityOf(model)) ? "breakpoints" : "automatic",
  });
}

function identityOf(model: Input["model"]): ModelIdentity {
  return {
    providerId: model.providerID,
    modelId: model.id,
    apiId: model.api.id,
    npm: model.api.npm,
  };
}
