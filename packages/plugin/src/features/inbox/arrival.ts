// Handles a prompt in chat.message: a new one, an exact retry, a conflict, a refusal, or one that we sent.
import type { ArrivingPrompt, SavedMessage, StoredPrompt } from "../../feature-api/prompt.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { SendState } from "./in-flight-prompts.ts";
import type { Instance } from "./instance.ts";
import { computePromptDigest, renderPreview, toPlainParts } from "./prompt.ts";
import type { InputRecord, NewInput } from "./records.ts";

// Decides which parts of a prompt in chat.message are stored, and which parts of a stored prompt are saved.

/** Returns the prompt as the host is about to save it. */
export function resolvePrompt(
  { message, parts }: ArrivingPrompt,
  reply: StoredPrompt["reply"],
): StoredPrompt {
  const { agent, model, system = null, format = null } = message;
  const { providerID, modelID, variant = null } = model;
  const chosen = { agent, model: { providerID, modelID }, variant, system, format };
  return { form: "resolved", reply, parts: toPlainParts(parts), ...chosen };
}

export function createSteerInput(
  arriving: ArrivingPrompt,
  directory: string,
  nowMs: number,
): NewInput {
  const { sessionId, message, asked } = arriving;
  const prompt = resolvePrompt(arriving, "wanted");
  const { parts, system, format } = prompt;
  return {
    sessionId,
    id: message.id,
    directory,
    delivery: "steer",
    state: "handed",
    messageId: message.id,
    digest: computePromptDigest(parts, { ...asked, system, format }),
    preview: renderPreview(parts),
    prompt,
    admittedAtMs: nowMs,
  };
}

/**
 * Replaces the given prompt with the stored one: rows and parts with the same ids are written again
 * unchanged, so that nothing is appended and whatever a crash cut off is completed.
 */
export function restoreStoredPrompt(
  { sessionId, message, parts }: ArrivingPrompt,
  { promotedAtMs }: InputRecord,
  stored: StoredPrompt | null,
  saved: SavedMessage | null,
): void {
  if (saved) Object.assign(message, saved.info);
  if (saved && (promotedAtMs !== null || !stored)) {
    parts.splice(0);
    return;
  }
  if (stored?.form !== "resolved") return;
  const missing = stored.parts
    .map((part) => ({ ...part, messageID: message.id, sessionID: sessionId }))
    .filter((part) => !saved?.partIds.includes(String(part["id" as keyof object])));
  parts.splice(0, parts.length, ...missing);
}

/** Keeps a prompt out of the conversation; the caller reads the reason. */
export class PromptRefusedError extends UserFacingError {
  constructor(
    readonly reason: "conflict" | "unavailable" | "held",
    message: string,
  ) {
    super(message);
  }
}

/** @throws PromptRefusedError; StorageError if the prompt can't be kept */
export async function handleArrival(instance: Instance, prompt: ArrivingPrompt): Promise<void> {
  const { message } = prompt;
  const known = instance.rows().find(message.id);
  const sending = instance.traffic.claimSend(message.id);
  if (known && sending) return completeOwnPrompt(instance, prompt, known, sending);
  const { kind, record } = admitPrompt(instance, prompt);
  switch (kind) {
    case "conflict":
      throw new PromptRefusedError("conflict", renderConflict(record, prompt));
    case "retry":
      return retryArrival(instance, prompt, record);
    case "admitted":
      return passToHost(instance, prompt, record);
  }
}

function admitPrompt({ deps, rows }: Instance, prompt: ArrivingPrompt) {
  return rows().admit(createSteerInput(prompt, deps.directory, deps.now()));
}

/**
 * Completes a prompt that we sent: its row stores what the host has resolved, or supplies the stored parts.
 */
async function completeOwnPrompt(
  instance: Instance,
  prompt: ArrivingPrompt,
  record: InputRecord,
  sending: SendState,
): Promise<void> {
  const { deps, rows, traffic } = instance;
  const { sessionId, message } = prompt;
  if (sending === "first" && record.delivery === "queue" && traffic.isTaken(sessionId)) {
    const text = "A queued prompt keeps waiting: the session has become busy.";
    throw rejectArrival(instance, record, message.id, new PromptRefusedError("held", text));
  }
  await passToHost(instance, prompt, record);
  const stored = rows().prompt(record.id);
  if (stored?.form === "given") {
    rows().resolve(record.id, resolvePrompt(prompt, stored.reply));
    return;
  }
  restoreStoredPrompt(prompt, record, stored, await deps.host.message(sessionId, message.id));
}

/** Handles a prompt that arrives again: what the host has of it stays, and the host's loop wakes. */
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
  if (saved === null && (wasSaved || isSettled(record))) {
    // The user has taken the prompt back and sent it again, so it is a new prompt under the same id.
    rows().settle(former.id, "undone", deps.now());
    rows().forget(former.id);
    return passToHost(instance, prompt, admitPrompt(instance, prompt).record);
  }
  await passToHost(instance, prompt, record);
  const stored = rows().prompt(record.id);
  if (stored && record.state === "refused") rows().hand(record.id, message.id, stored);
  restoreStoredPrompt(prompt, record, stored, saved);
}

function isSettled({ state }: InputRecord): boolean {
  return state === "answered" || state === "recorded" || state === "undone";
}

/**
 * Passes an admitted prompt on to the host if its sources can be loaded. The prompt is in the inbox by then:
 * if it is refused, it stays there and can be tried again.
 */
async function passToHost(
  instance: Instance,
  { sessionId, message }: ArrivingPrompt,
  record: InputRecord,
): Promise<void> {
  const { deps, traffic, holds, unpromoted, leases } = instance;
  traffic.recordArrival(sessionId, message.id);
  holds.clear(sessionId);
  unpromoted.add(sessionId, message.id);
  leases.acquire(sessionId);
  const { agent, model } = message;
  const { providerID: providerId, modelID: modelId } = model;
  const missing = await deps.missingSources({ sessionId, agent, providerId, modelId });
  if (missing.length === 0) return;
  const text = `The prompt was kept and not sent: ${missing.join(", ")} can't be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.`;
  throw rejectArrival(instance, record, message.id, new PromptRefusedError("unavailable", text));
}

/** Rejects an arrival: a queued prompt waits in its place again, and a steer is to be tried again. */
function rejectArrival(
  { rows, traffic }: Instance,
  { id }: InputRecord,
  messageId: string,
  why: PromptRefusedError,
): PromptRefusedError {
  traffic.recordFailure(messageId);
  rows().turnBack(id);
  return why;
}

function renderConflict(record: InputRecord, { sessionId, message }: ArrivingPrompt): string {
  const other =
    record.sessionId !== sessionId
      ? "a prompt of another session"
      : record.delivery === "queue"
        ? "a prompt of the queue"
        : "a different prompt of this session";
  return `The message id ${message.id} is already used by ${other}. Nothing was stored or sent. To retry, send the same prompt; to send this one, use a new id.`;
}
