// A prompt in chat.message: admitted, an exact retry, a conflict, refused, or one that we sent.

import type { ArrivingPrompt } from "../../feature-api/prompt.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { newSteer, putStored, resolvedPrompt } from "./arrived-prompt.ts";
import type { SendState } from "./in-flight-prompts.ts";
import type { Instance } from "./instance.ts";
import type { InputRecord } from "./records.ts";

/** Keeps a prompt out of the conversation; the caller reads why. */
export class PromptRefused extends UserFacingError {
  constructor(
    readonly reason: "conflict" | "unavailable" | "held",
    message: string,
  ) {
    super(message);
  }
}

/** @throws PromptRefused; StorageError where the prompt can't be kept */
export async function arrive(instance: Instance, prompt: ArrivingPrompt): Promise<void> {
  const { message } = prompt;
  const known = instance.rows().find(message.id);
  const sending = instance.traffic.claimSend(message.id);
  if (known && sending) return sentByUs(instance, prompt, known, sending);
  const { kind, record } = admit(instance, prompt);
  switch (kind) {
    case "conflict":
      throw new PromptRefused("conflict", conflictText(record, prompt));
    case "retry":
      return retryArrival(instance, prompt, record);
    case "admitted":
      return letThrough(instance, prompt, record);
  }
}

function admit({ deps, rows }: Instance, prompt: ArrivingPrompt) {
  return rows().admit(newSteer(prompt, deps.directory, deps.now()));
}

/** Completes a prompt that we sent: its row takes what the host has resolved, or supplies the stored parts. */
async function sentByUs(
  instance: Instance,
  prompt: ArrivingPrompt,
  record: InputRecord,
  sending: SendState,
): Promise<void> {
  const { deps, rows, traffic } = instance;
  const { sessionId, message } = prompt;
  if (sending === "first" && record.delivery === "queue" && traffic.isTaken(sessionId)) {
    const text = "A queued prompt keeps waiting: the session has become busy.";
    throw turnedBack(instance, record, message.id, new PromptRefused("held", text));
  }
  await letThrough(instance, prompt, record);
  const stored = rows().prompt(record.id);
  if (stored?.form === "given") {
    rows().resolve(record.id, resolvedPrompt(prompt, stored.reply));
    return;
  }
  putStored(prompt, record, stored, await deps.host.message(sessionId, message.id));
}

/** The same prompt again: what the host holds of it stays as it is, and its loop wakes. */
async function retryArrival(
  instance: Instance,
  prompt: ArrivingPrompt,
  former: InputRecord,
): Promise<void> {
  const { deps, rows } = instance;
  const { sessionId, message } = prompt;
  const saved = await deps.host.message(sessionId, message.id);
  const record = rows().find(former.id) ?? former;
  const wasSaved = former.state === "saved" || former.state === "promoted";
  if (saved === null && (wasSaved || isOver(record))) {
    // The user has taken the prompt back and sent it again: it is a new prompt under its id.
    rows().settle(former.id, "undone", deps.now());
    rows().forget(former.id);
    return letThrough(instance, prompt, admit(instance, prompt).record);
  }
  await letThrough(instance, prompt, record);
  const stored = rows().prompt(record.id);
  if (stored && record.state === "refused") rows().hand(record.id, message.id, stored);
  putStored(prompt, record, stored, saved);
}

function isOver({ state }: InputRecord): boolean {
  return state === "answered" || state === "recorded" || state === "undone";
}

/**
 * Admitted, and on its way through the host once its sources can load. The prompt is in the inbox by
 * then: refused, it stays there, and can be tried again.
 */
async function letThrough(
  instance: Instance,
  { sessionId, message }: ArrivingPrompt,
  record: InputRecord,
): Promise<void> {
  const { deps, traffic, holds, unpromoted, leases } = instance;
  traffic.arrived(sessionId, message.id);
  holds.clear(sessionId);
  unpromoted.add(sessionId, message.id);
  leases.take(sessionId);
  const { agent, model } = message;
  const { providerID: providerId, modelID: modelId } = model;
  const missing = await deps.missingSources({ sessionId, agent, providerId, modelId });
  if (missing.length === 0) return;
  const text = `The prompt was kept and not sent: ${missing.join(", ")} can't be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.`;
  throw turnedBack(instance, record, message.id, new PromptRefused("unavailable", text));
}

/** A queued one waits in its place again, a steer is to be tried again. */
function turnedBack(
  { rows, traffic }: Instance,
  { id }: InputRecord,
  messageId: string,
  why: PromptRefused,
): PromptRefused {
  traffic.fails(messageId);
  rows().turnBack(id);
  return why;
}

function conflictText(record: InputRecord, { sessionId, message }: ArrivingPrompt): string {
  const other =
    record.sessionId !== sessionId
      ? "a prompt of another session"
      : record.delivery === "queue"
        ? "a prompt of the queue"
        : "a different prompt of this session";
  return `The message id ${message.id} is already used by ${other}. Nothing was stored or sent. To retry, send the same prompt; to send this one, use a new id.`;
}
