// Finds a user's name and password side by side: "the login is ann / hunter22". Pure.
import { MASK } from "./assigned-secrets.ts";
import { rateLikeness } from "./secret-likeness.ts";

const VALUE_PATTERN = "[^\\s\"'`,;()<>]{4,60}";

/** Matches a pair that follows a word for a login and a linking word or sign: "the login is …". */
const NAMED_SECRET = new RegExp(
  `(\\b(?:log[- ]?in(?:to)?|sign[- ]?in(?:to)?|credentials?|creds|basic auth(?:entication)?|auth|zugangsdaten|identifiants|credenciales|credenziali)\\b[^\\n.;]{0,40}?(?:\\b(?:is|are|as|with|using|ist|sind|est|sont|es|son|è|sono)\\b|[:=(])\\s{0,2}["'\`]?[A-Za-z][\\w.@+-]{0,40}(?:\\s?/\\s?|:))(${VALUE_PATTERN})`,
  "gi",
);

/** Matches pairs with common account names. */
const COMMON_ACCOUNT_PATTERN = new RegExp(
  `(?<![\\w:/@.-])((?:root|admin|administrator|postgres|guest|demo|deploy|ubuntu|sa):)(${VALUE_PATTERN})`,
  "g",
);

/** Matches a pair whose password contains a symbol that no name contains. */
const USER_PASSWORD_PATTERN =
  /(\b(?:user|account)\s["'`]?[\w.@-]{1,40}["'`]?\s\/\s)(?=[\w.-]*[!#$%^&*~+?])([^\s"'`,;()]{6,60})/gi;

/** Matches a word after "key" that is a key itself, not a key's name: "use the key 4f1c9b2e7d8a6f3c". */
const LONG_KEY = /(\b(?:the|this|our|with|use)\skey\s["'`]?)([A-Za-z0-9+/=_-]{16,80})/g;

const UNLOCKING_SECRET_PATTERN = /(["“])([^"”\s]{6,60})(?=["”]\s(?:unlocks|opens|decrypts)\b)/g;

const UNLOCK_PHRASE_PATTERN =
  "\\b(?:unlock|log ?in|log ?into|sign in|sign into|authenticate|decrypt)(?:s|ed)?\\b[^\\n.;]{0,40}?\\b(?:with|using)\\s";
const QUOTED_PASSWORD_PATTERN = new RegExp(
  `(${UNLOCK_PHRASE_PATTERN}["'\`“])([^"'\`”\\s]{4,60})(?=["'\`”])`,
  "gi",
);
/** Matches a bare password that contains a symbol and a digit. */
const BARE_PASSWORD_PATTERN = new RegExp(
  `(${UNLOCK_PHRASE_PATTERN})((?=\\S*\\d)(?=\\w*[!#$%^&*~+?])[^\\s"'\`,;]{6,60})`,
  "gi",
);

const PAIR_PATTERNS = [
  NAMED_SECRET,
  COMMON_ACCOUNT_PATTERN,
  USER_PASSWORD_PATTERN,
  LONG_KEY,
  UNLOCKING_SECRET_PATTERN,
  QUOTED_PASSWORD_PATTERN,
  BARE_PASSWORD_PATTERN,
];

export function maskPairs(line: string): string {
  return PAIR_PATTERNS.reduce(
    (text, pattern) =>
      text.replace(pattern, (whole: string, kept: string, value: string) =>
        isLikelySecret(value) ? kept + MASK + (/[.!?:]+$/.exec(value)?.[0] ?? "") : whole,
      ),
    line,
  );
}

function isLikelySecret(value: string): boolean {
  const likeness = rateLikeness(value.replace(/[.!?:]+$/, ""));
  return likeness === "strong" || likeness === "weak";
}
