// Defines a prompt from a command or from code, its digest (which identifies retries) and its preview.
import { hashText, toCanonicalJson } from "../../context/canonical.ts";
import type { PromptOptions, PromptPart, StoredPrompt } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Delivery, NewInput } from "./records.ts";

/** A prompt that is admitted by a command or by code. */
export interface OwnPrompt {
  readonly sessionId: SessionId;
  /** The admission's id: repeating it with the same prompt is a retry. Null for a new id. */
  readonly id: string | null;
  readonly parts: readonly PromptPart[];
  readonly delivery: Delivery;
  readonly reply: StoredPrompt["reply"];
}

/** Creates the row of a prompt, with the fresh message id unless the prompt has one of its own. */
export function createOwnInput(
  { sessionId, id, parts, delivery, reply }: OwnPrompt,
  freshId: string,
  nowMs: number,
): Omit<NewInput, "directory"> {
  const messageId = id?.startsWith("msg_") ? id : freshId;
  const isQueued = delivery === "queue";
  return {
    sessionId,
    id: id ?? messageId,
    delivery,
    state: isQueued ? "waiting" : "handed",
    messageId: isQueued ? null : messageId,
    digest: computePromptDigest(parts, emptyOptions),
    preview: renderPreview(parts),
    prompt: { ...emptyOptions, form: "given", reply, parts },
    admittedAtMs: nowMs,
  };
}

export const emptyOptions: PromptOptions = {
  agent: null,
  model: null,
  variant: null,
  system: null,
  format: null,
};

/** Fields that may differ between a prompt and its retry. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set(["id", "messageID", "sessionID", "time"]);

/**
 * Returns equal digests for prompts that ask for the same in the same words; the host's own additions don't
 * count.
 */
export function computePromptDigest(parts: readonly PromptPart[], asked: PromptOptions): string {
  const given = parts
    .filter(({ synthetic }) => synthetic !== true)
    .map((part) => Object.entries(part).filter(([name]) => !VOLATILE_FIELDS.has(name)))
    .map((fields) => Object.fromEntries(fields));
  const { agent, model, variant, system, format } = asked;
  const value = { parts: given, agent, model, variant, system, format };
  return hashText(toCanonicalJson(JSON.parse(JSON.stringify(value))));
}

const MAX_PREVIEW_CHARS = 120;

/** Returns the beginning of what the user wrote, on one line. */
export function renderPreview(parts: readonly PromptPart[]): string {
  const text = parts
    .filter(({ type, synthetic }) => type === "text" && synthetic !== true)
    .map((part) => String(part.text).slice(0, 4 * MAX_PREVIEW_CHARS))
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const files = parts.filter(({ type }) => type === "file").length;
  const shown = text === "" && files > 0 ? `(${files} files)` : text;
  return shown.length > MAX_PREVIEW_CHARS ? `${shown.slice(0, MAX_PREVIEW_CHARS - 1)}…` : shown;
}

/** Joins all of the text that the user wrote, which an edit replaces. */
export function joinText(parts: readonly PromptPart[]): string {
  return parts
    .filter(({ type }) => type === "text")
    .map(({ text }) => String(text))
    .join("\n");
}

/** Returns true if only the user sees the prompt, as with our own reports: such a prompt is not admitted. */
export function isNote(parts: readonly PromptPart[]): boolean {
  return parts.length > 0 && parts.every(({ ignored }) => ignored === true);
}

/** Returns plain copies of the parts, as JSON represents them. */
export function toPlainParts(parts: readonly PromptPart[]): readonly PromptPart[] {
  return JSON.parse(JSON.stringify(parts));
}

/**
 * Returns the parts as those of another message, with new ids: ids are the host's keys and are never shared.
 */
export function addPartIds(
  parts: readonly PromptPart[],
  newId: () => string,
): readonly PromptPart[] {
  return parts.map((part) => ({ ...part, id: newId() }));
}
