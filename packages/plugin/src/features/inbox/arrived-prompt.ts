// Decides which parts of a prompt in chat.message are stored, and which parts of a stored prompt are saved.

import type { ArrivingPrompt, StoredPrompt } from "../../feature-api/prompt.ts";
import type { SavedMessage } from "../../feature-api/prompt-host.ts";
import { plainParts, promptDigest, renderPreview } from "./prompt.ts";
import type { InputRecord, NewInput } from "./records.ts";

/** The prompt as the host is about to save it. */
export function resolvedPrompt(
  { message, parts }: ArrivingPrompt,
  reply: StoredPrompt["reply"],
): StoredPrompt {
  const { agent, model, system = null, format = null } = message;
  const { providerID, modelID, variant = null } = model;
  const chosen = { agent, model: { providerID, modelID }, variant, system, format };
  return { form: "resolved", reply, parts: plainParts(parts), ...chosen };
}

export function newSteer(arriving: ArrivingPrompt, directory: string, nowMs: number): NewInput {
  const { sessionId, message, asked } = arriving;
  const prompt = resolvedPrompt(arriving, "wanted");
  const { parts, system, format } = prompt;
  return {
    sessionId,
    id: message.id,
    directory,
    delivery: "steer",
    state: "handed",
    messageId: message.id,
    digest: promptDigest(parts, { ...asked, system, format }),
    preview: renderPreview(parts),
    prompt,
    admittedAtMs: nowMs,
  };
}

/**
 * Puts the stored prompt in the place of what was given: rows and parts of the same ids are written
 * again as they were, so that nothing is appended and what a crash cut off is completed.
 */
export function putStored(
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
