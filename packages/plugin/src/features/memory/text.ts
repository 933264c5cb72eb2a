// Accepts texts of memories and notes, one line without secrets each, and limits what models may store. Pure.
import { toWellFormed } from "../../context/source.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { containsSecret } from "../../log/secrets.ts";

// Limits how many memories models may store, so that whoever controls a model can't flood a project. Pure.

/** A long day's work yields about a dozen memories; one answer of the historian yields at most twelve. */
export const MAX_MEMORIES_PER_SESSION = 40;
/** The limit for one project in 24 hours. A Baseline can hold about sixty memories. */
export const MAX_MEMORIES_PER_DAY = 100;

export const DAY_MS = 24 * 60 * 60_000;

/** Counts the memories that models have stored, candidates included. */
export interface ModelStoredCounts {
  readonly inSession: number;
  readonly inDay: number;
}

/** Returns how many more memories models may store. */
export function computeRemainingAllowance({ inSession, inDay }: ModelStoredCounts): number {
  return Math.max(0, Math.min(MAX_MEMORIES_PER_SESSION - inSession, MAX_MEMORIES_PER_DAY - inDay));
}

/** A memory is one fact; a longer text holds several. */
export const MAX_MEMORY_CHARS = 600;
export const MAX_NOTE_CHARS = 1_000;

type CleanedText =
  | { readonly kind: "clean"; readonly text: string }
  | { readonly kind: "refused"; readonly why: RejectReason };

type RejectReason = "empty" | "too_long" | "secret";

/** Matches line breaks, tabs and all other control characters. */
const CONTROL_CHARS_PATTERN = /[\p{Cc}\u2028\u2029]+/gu;

/** Returns the text as it is stored. Cleaning a cleaned text changes nothing. */
export function cleanText(written: string, maxChars: number): CleanedText {
  const text = toWellFormed(written).replace(CONTROL_CHARS_PATTERN, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return { kind: "refused", why: "empty" };
  // Secrets are checked before the text is measured, because a private key is recognised by its lines.
  if (containsSecret(written) || containsSecret(text)) return { kind: "refused", why: "secret" };
  if (text.length > maxChars) return { kind: "refused", why: "too_long" };
  return { kind: "clean", text };
}

/** Cleans a text, with the same limits for every author. @throws UserFacingError */
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
