// Gives stored prompts to the host: the next one of the queue, or some that it has lost.

import type { StoredPrompt } from "../../feature-api/prompt.ts";
import type { Dispatch } from "../../feature-api/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import { RECHECK_MS, type SendState } from "./in-flight-prompts.ts";
import type { Instance } from "./instance.ts";
import type { Settings } from "./plan.ts";
import { withPartIds } from "./prompt.ts";
import type { InputRecord } from "./records.ts";

/**
 * The next one of the queue, unless it was changed meanwhile. Id and settings are stored before the
 * host hears of it: after a crash it is the same prompt. Rejects where the host does not take it.
 */
export async function handToHost(
  instance: Instance,
  { id, sessionId }: InputRecord,
  messageId: string,
  newest: Settings,
): Promise<void> {
  const { deps, rows } = instance;
  const stored = rows().prompt(id);
  if (!stored) return;
  const parts = withPartIds(stored.parts, () => deps.ids.part());
  const prompt = withSettings({ ...stored, parts }, newest);
  if (rows().hand(id, messageId, prompt) === "gone") return;
  await dispatch(instance, { sessionId, messageId, prompt }, "first");
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

/** Sends several inputs: all but the last are saved without a call of their own, so that one turn has all of them. */
export async function sendAll(instance: Instance, inputs: readonly InputRecord[]): Promise<void> {
  for (const [index, input] of inputs.entries()) {
    await send(instance, input, index === inputs.length - 1 ? "alone" : "batch");
  }
}

/** `batch`: without a call of its own, before one that has it; `alone`: by what it asks for. */
export async function send(
  instance: Instance,
  input: InputRecord,
  as: "batch" | "alone" | "again",
): Promise<void> {
  const { rows } = instance;
  const { id, sessionId, messageId } = input;
  const stored = rows().prompt(id);
  if (stored && messageId !== null) {
    if (input.state === "refused") rows().hand(id, messageId, stored);
    const prompt = as === "batch" ? { ...stored, reply: "none" as const } : stored;
    const how = as === "again" ? "again" : stored.form === "given" ? "first" : "whole";
    await dispatch(instance, { sessionId, messageId, prompt }, how);
  }
  recheck(instance, sessionId);
}

/** Checks again later, as no event ends a prompt that may still arrive, nor one that the host turns away. */
export function recheck({ lifetime, wake }: Instance, sessionId: SessionId): void {
  lifetime.later("inbox", RECHECK_MS, () => wake(sessionId));
}

/** Sends a prompt. If that fails, the row stays as it is, and can be sent again. */
async function dispatch(
  { deps, traffic }: Instance,
  { sessionId, messageId, prompt }: Omit<Dispatch, "reply">,
  how: SendState,
): Promise<void> {
  traffic.sends(sessionId, messageId, how);
  const parts = how === "first" ? prompt.parts : [];
  try {
    const { reply } = prompt;
    await deps.host.send({ sessionId, messageId, prompt: { ...prompt, parts }, reply });
  } catch (error) {
    traffic.fails(messageId);
    throw error;
  }
}
