// Finds the words of a text that may be secrets, quoted or not. Pure.
import { type Likeness, rateLikeness, rateQuotedLikeness } from "./secret-likeness.ts";
import { findSecretWords } from "./secret-words.ts";

export interface Candidate {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly likeness: Exclude<Likeness, "none">;
}

const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";

/** Matches a word in quotes of any kind, or between spaces. */
const TOKEN = new RegExp(
  [
    '"([^"\\n]{1,120})"',
    "`([^`\\n]{1,120})`",
    "(?<![\\p{L}\\p{N}])'([^'\\n]{1,120})'(?![\\p{L}\\p{N}])",
    '[„“]([^„“”"\\n]{1,120})[“”"]',
    "«([^«»\\n]{1,120})»",
    "[「『]([^「」『』\\n]{1,120})[」』]",
    "‘([^‘’\\n]{1,120})’",
    `([^\\s"\`„“”«»「」『』‘、。，；：（）！？${UNSPACED}]+)`,
  ].join("|"),
  "gu",
);

/** Matches characters around a word outside of it. */
const BEFORE = /^[([*'’]+/;
const AFTER = /[.,;:)\]*'’…]+$/;

export function candidates(text: string, offset = 0): readonly Candidate[] {
  return [...text.matchAll(TOKEN)].flatMap((match) => {
    const bare = match.at(-1);
    if (bare !== undefined) return bareCandidate(bare, offset + match.index);
    const quoted = match.slice(1).find((group) => group !== undefined) ?? "";
    return quotedCandidates(quoted, offset + match.index + 1);
  });
}

/** Matches most plain words quickly. */
const PLAIN = /^[A-Za-z]?[a-z]*[.,;:]?$/;

function bareCandidate(whole: string, at: number): readonly Candidate[] {
  if (PLAIN.test(whole)) return [];
  const start = at + (BEFORE.exec(whole)?.[0].length ?? 0);
  const text = whole.replace(BEFORE, "").replace(AFTER, "");
  const likeness = rateLikeness(text);
  return likeness === "none" ? [] : [{ text, start, end: start + text.length, likeness }];
}

/** Finds candidates within a quotation that speaks of a secret, and so is a sentence itself. */
function quotedCandidates(inner: string, at: number): readonly Candidate[] {
  const text = inner.trim();
  const likeness = findSecretWords(inner).length > 0 ? "none" : rateQuotedLikeness(text);
  if (likeness === "none") return candidates(inner, at);
  const start = at + inner.indexOf(text);
  return [{ text, start, end: start + text.length, likeness }];
}
