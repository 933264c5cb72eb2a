// A prompt's digest, which identifies retries, and its preview.
import { canonicalJson, hashText } from "../../context/canonical.ts";
import type { PromptOptions, PromptPart, StoredPrompt } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Delivery, NewInput } from "./records.ts";

/** A prompt that is admitted by a command or by code. */
export interface OwnPrompt {
  readonly sessionId: SessionId;
  /** The admission's id: the same again with the same prompt is a retry. Null: a new one. */
  readonly id: string | null;
  readonly parts: readonly PromptPart[];
  readonly delivery: Delivery;
  readonly reply: StoredPrompt["reply"];
}

/** The row of one, which gets a fresh message id where it has none of its own. */
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

/** Fields that a retry of the same prompt has again. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set(["id", "messageID", "sessionID", "time"]);

/** Equal for prompts that ask for the same in the same words. What the host adds by itself is not part of it. */
export function computePromptDigest(parts: readonly PromptPart[], asked: PromptOptions): string {
  const given = parts
    .filter(({ synthetic }) => synthetic !== true)
    .map((part) => Object.entries(part).filter(([name]) => !VOLATILE_FIELDS.has(name)))
    .map((fields) => Object.fromEntries(fields));
  const { agent, model, variant, system, format } = asked;
  const value = { parts: given, agent, model, variant, system, format };
  return hashText(canonicalJson(JSON.parse(JSON.stringify(value))));
}

const PREVIEW_CHARS = 120;

/** The beginning of what the user wrote, in one line. */
export function renderPreview(parts: readonly PromptPart[]): string {
  const text = parts
    .filter(({ type, synthetic }) => type === "text" && synthetic !== true)
    .map((part) => String(part.text).slice(0, 4 * PREVIEW_CHARS))
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const files = parts.filter(({ type }) => type === "file").length;
  const shown = text === "" && files > 0 ? `(${files} files)` : text;
  return shown.length > PREVIEW_CHARS ? `${shown.slice(0, PREVIEW_CHARS - 1)}…` : shown;
}

/** Joins all the text that the user wrote, which an edit replaces. */
export function joinText(parts: readonly PromptPart[]): string {
  return parts
    .filter(({ type }) => type === "text")
    .map(({ text }) => String(text))
    .join("\n");
}

/** Returns true for a prompt that only the user sees, such as our own reports: it is not admitted. */
export function isNote(parts: readonly PromptPart[]): boolean {
  return parts.length > 0 && parts.every(({ ignored }) => ignored === true);
}

/** Plain copies, as JSON holds them. */
export function toPlainParts(parts: readonly PromptPart[]): readonly PromptPart[] {
  return JSON.parse(JSON.stringify(parts));
}

/** The same parts as parts of another message: ids are the host's keys, and are never shared. */
export function addPartIds(
  parts: readonly PromptPart[],
  newId: () => string,
): readonly PromptPart[] {
  return parts.map((part) => ({ ...part, id: newId() }));
}
