// The effects that ask something of the host, or give it a prompt.
import { putStored, resolvedPrompt } from "./arrival.ts";
import type { EffectOf, HostEffect } from "./happenings.ts";
import type { EffectContext } from "./row-effects.ts";
import type { Sending } from "./state.ts";

/** Rejects where the host can't be reached, or refuses. @throws StorageError */
export function runOnHost(context: EffectContext, effect: HostEffect): Promise<void> {
  switch (effect.kind) {
    case "send":
      return send(context, effect);
    case "read retry":
      return readRetry(context, effect);
    case "check sources":
      return checkSources(context, effect);
    case "bring in":
      return bringIn(context, effect);
    case "check idle":
      return checkIdle(context, effect);
  }
}

/** Where it fails, the row stays as it is, and can be sent again. */
async function send({ deps, take }: EffectContext, { input, as }: EffectOf<"send">): Promise<void> {
  const { inbox } = deps.database();
  const { sessionId, messageId } = input;
  const stored = inbox.prompt(input.id);
  if (!stored || messageId === null) return;
  if (input.state === "refused") inbox.hand(input.id, messageId, stored);
  const how = howToSend(as, stored.form);
  const reply = as === "batch" ? "none" : stored.reply;
  const prompt = { ...stored, reply, parts: how === "first" ? stored.parts : [] };
  take({ kind: "sending", sessionId, messageId, how });
  try {
    await deps.host.send({ sessionId, messageId, prompt, reply });
  } catch (error) {
    take({ kind: "not sent", messageId });
    throw error;
  }
  take({ kind: "sent", sessionId });
}

function howToSend(as: EffectOf<"send">["as"], form: "given" | "resolved"): Sending {
  switch (as) {
    case "again":
      return "again";
    case "head":
      return "first";
    case "batch":
    case "alone":
      return form === "given" ? "first" : "whole";
  }
}

async function readRetry(context: EffectContext, effect: EffectOf<"read retry">): Promise<void> {
  const { deps, take } = context;
  const { prompt, record } = effect;
  const saved = await deps.host.message(prompt.sessionId, prompt.message.id);
  const current = deps.database().inbox.find(record.id) ?? record;
  await take({ kind: "retry read", prompt, record, current, saved });
}

async function checkSources(
  context: EffectContext,
  effect: EffectOf<"check sources">,
): Promise<void> {
  const { prompt, record, whenLoaded } = effect;
  const { agent, model } = prompt.message;
  const missing = await context.deps.missingSources({
    sessionId: prompt.sessionId,
    agent,
    providerId: model.providerID,
    modelId: model.modelID,
  });
  await context.take({ kind: "sources checked", prompt, record, missing, whenLoaded });
}

async function bringIn(
  { deps }: EffectContext,
  { prompt, record }: EffectOf<"bring in">,
): Promise<void> {
  const { inbox } = deps.database();
  const stored = inbox.prompt(record.id);
  if (stored?.form === "given") {
    inbox.resolve(record.id, resolvedPrompt(prompt, stored.reply));
    return;
  }
  const saved = await deps.host.message(prompt.sessionId, prompt.message.id);
  putStored(prompt, record, stored, saved);
}

async function checkIdle(context: EffectContext, effect: EffectOf<"check idle">): Promise<void> {
  const { deps, take } = context;
  if ((await deps.host.activity(effect.sessionId)) === "busy") return;
  await take({ kind: "still idle", input: deps.database().inbox.find(effect.messageId) });
}
