// The effects that ask something of the host, or give it a prompt.

import type { StoredPrompt } from "../../features/prompt.ts";
import type { Dispatch } from "../../features/prompt-host.ts";
import { putStored, resolvedPrompt } from "./arrival.ts";
import type { EffectOf, HostEffect, Settings } from "./happenings.ts";
import { withPartIds } from "./prompt.ts";
import type { EffectContext } from "./row-effects.ts";
import type { Sending } from "./state.ts";

/** Rejects where the host can't be reached, or refuses. @throws StorageError */
export function runOnHost(context: EffectContext, effect: HostEffect): Promise<void> {
  switch (effect.kind) {
    case "hand":
      return hand(context, effect);
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

/** Id and settings are stored before the host hears of it: after a crash it is the same prompt. */
async function hand(context: EffectContext, effect: EffectOf<"hand">): Promise<void> {
  const { deps } = context;
  const { input, messageId, newest } = effect;
  const { inbox } = deps.database();
  const stored = inbox.prompt(input.id);
  if (!stored) return;
  const parts = withPartIds(stored.parts, () => deps.ids.part());
  const prompt = withSettings({ ...stored, parts }, newest);
  if (inbox.hand(input.id, messageId, prompt) === "gone") return;
  await dispatch(context, { sessionId: input.sessionId, messageId, prompt }, "first");
}

/** Agent, model and variant are those of the newest prompt, where it names none itself. */
function withSettings(prompt: StoredPrompt, newest: Settings): StoredPrompt {
  return {
    ...prompt,
    agent: prompt.agent ?? newest.agent,
    model: prompt.model ?? newest.model,
    variant: prompt.variant ?? (prompt.model ? null : newest.variant),
  };
}

async function send(context: EffectContext, { input, as }: EffectOf<"send">): Promise<void> {
  const { inbox } = context.deps.database();
  const { sessionId, messageId } = input;
  const stored = inbox.prompt(input.id);
  if (!stored || messageId === null) return;
  if (input.state === "refused") inbox.hand(input.id, messageId, stored);
  const prompt = as === "batch" ? { ...stored, reply: "none" as const } : stored;
  const how = as === "again" ? "again" : stored.form === "given" ? "first" : "whole";
  await dispatch(context, { sessionId, messageId, prompt }, how);
}

/** Where it fails, the row stays as it is, and can be sent again. */
async function dispatch(
  { deps, take }: EffectContext,
  { sessionId, messageId, prompt }: Omit<Dispatch, "reply">,
  how: Sending,
): Promise<void> {
  take({ kind: "sending", sessionId, messageId, how });
  const parts = how === "first" ? prompt.parts : [];
  try {
    const { reply } = prompt;
    await deps.host.send({ sessionId, messageId, prompt: { ...prompt, parts }, reply });
  } catch (error) {
    take({ kind: "not sent", messageId });
    throw error;
  }
}

async function readRetry(context: EffectContext, effect: EffectOf<"read retry">): Promise<void> {
  const { deps, take } = context;
  const { prompt, record } = effect;
  const saved = await deps.host.message(prompt.sessionId, prompt.message.id);
  const current = deps.database().inbox.find(record.id) ?? record;
  await take({ kind: "retry read", prompt, record, current, saved });
}

async function checkSources(context: EffectContext, effect: EffectOf<"check sources">) {
  const { prompt, record } = effect;
  const { agent, model } = prompt.message;
  const keys = await context.deps.missingSources({
    sessionId: prompt.sessionId,
    agent,
    providerId: model.providerID,
    modelId: model.modelID,
  });
  if (keys.length > 0) await context.take({ kind: "sources missing", prompt, record, keys });
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
