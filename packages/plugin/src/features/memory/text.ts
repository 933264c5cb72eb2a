// Accepts the text of a memory or a note, one line without secrets, and limits how many models may store. Pure.
import { toWellFormed } from "../../context/source.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { holdsSecret } from "../../log/secrets.ts";

// Limits how many memories models may store, so that whoever controls one can't flood a project. Pure.

/** A long day's work gives a dozen. What the historian finds in one answer is twelve at most. */
export const MAX_PER_SESSION = 40;
/** The limit of one project in 24 hours. A Baseline has room for some sixty. */
export const MAX_PER_DAY = 100;

export const DAY_MS = 24 * 60 * 60_000;

/** Counts the memories that models have stored, candidates included. */
export interface ModelStoredCounts {
  readonly inSession: number;
  readonly inDay: number;
}

/** Returns how many more memories models may store. */
export function computeRemainingAllowance({ inSession, inDay }: ModelStoredCounts): number {
  return Math.max(0, Math.min(MAX_PER_SESSION - inSession, MAX_PER_DAY - inDay));
}

/** A memory is one fact; a longer text holds several. */
export const MAX_MEMORY_CHARS = 600;
export const MAX_NOTE_CHARS = 1_000;

type CleanedText =
  | { readonly kind: "clean"; readonly text: string }
  | { readonly kind: "refused"; readonly why: RejectReason };

type RejectReason = "empty" | "too_long" | "secret";

/** Line breaks, tabs and all other control characters. */
const CONTROL_CHARS_PATTERN = /[\p{Cc}\u2028\u2029]+/gu;

/** The text as it is stored: what cleaning changes once it never changes again. */
export function cleanText(written: string, maxChars: number): CleanedText {
  const text = toWellFormed(written).replace(CONTROL_CHARS_PATTERN, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return { kind: "refused", why: "empty" };
  // Checked before it is cut or measured: the parts of a private key are recognised by its lines.
  if (holdsSecret(written) || holdsSecret(text)) return { kind: "refused", why: "secret" };
  if (text.length > maxChars) return { kind: "refused", why: "too_long" };
  return { kind: "clean", text };
}

/** The same for whoever wrote it. @throws UserFacingError */
export function toStorableText(written: string, maxChars: number): string {
  const cleaned = cleanText(written, maxChars);
  if (cleaned.kind === "refused") throw new UserFacingError(describeRefusal(cleaned.why, maxChars));
  return cleaned.text;
}

export function describeRefusal(why: RejectReason, maxChars: number): string {
  switch (why) {
    case "empty":
      return "Nothing was stored: give a text with a letter or a digit in it.";
    case "too_long":
      return `Nothing was stored: the text is longer than ${maxChars} characters. Store one fact in a sentence or two.`;
    case "secret":
      return "Nothing was stored: the text holds what looks like a password, a key or a token. Say where the secret is kept, not what it is.";
  }
}
