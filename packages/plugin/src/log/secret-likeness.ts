// Rates how much a single word looks like a secret. Pure.
import { findSecretWords } from "./secret-words.ts";

// Recognises placeholders for secrets: a variable, a reference, a word to be replaced. Pure.

/** Matches a reference, even if its end was not read: `${NAME` without the closing brace. */
const REFERENCE_PATTERN =
  /^(?:<|\$\{|\$\(|\{\{|%\(|#\{|__[A-Z0-9_]+__$|@{1,2}[A-Za-z_]+@{1,2}$|!(?:vault|Ref|Sub|GetAtt|ImportValue|secret|env|env_var|reference)$|\[(?:your|the|my|insert|enter)$|op:\/\/|vault:[a-z][\w/-]*(?:#\w+)?$|%[A-Z][A-Z0-9_]*%?$|\$[A-Z_][A-Z0-9_]*$|\$[a-z_]*(?:pass|token|secret|key)[a-z_]*$|(?:process|import\.meta|Bun|Deno)\.env\b|os\.(?:environ|getenv)|env[.([]|ENV\[|getenv|secrets\.[A-Za-z]|(?:this|self|req|request|res|response|ctx|config|options|opts|settings|props|args|params|input|body|user|data|state)\.[A-Za-z_#])/;

/** Matches a key's prefix with nothing after it, or an issuer's published example. */
const EXAMPLE_PATTERN =
  /^[A-Za-z0-9_-]{0,24}(?:[-_.](?:\.{2,}|…+|[xX]{4,}|\*{3,})|[xX]{12,})$|^sk[-_](?:\.+|…)$|EXAMPLE(?:KEY)?$|(?:^|[-_])your[-_][a-z]/;

const FILLER_PATTERN = /^(?:[x*•.…_#-]{3,}|X+)$/;

const PLACEHOLDER_WORDS = [
  String.raw`(?:your|insert|enter)[-_][\w-]*|(?:my|the|some|a)[-_](?:api[-_]?)?(?:key|token|password|secret)`,
  "change[-_]?(?:me|it|this)|change[-_](?:me|it|this)(?:[-_][a-z]+)+",
  "replace[-_]?me|fill[-_]?me[-_]?in|fixme|todo|tbd|example|sample|placeholder|redacted|masked|hidden|dummy",
  "none|null|nil|undefined|true|false|empty|string|number|boolean|include|same-origin|omit|required|optional",
  "(?:pass(?:word|phrase)|secret|token|api[-_]?key|key|credentials?|value|name)",
].join("|");

const PLACEHOLDER_WORD_PATTERN = new RegExp(`^(?:${PLACEHOLDER_WORDS})$`, "i");

export function isPlaceholder(value: string): boolean {
  const bare = value.replace(/^[([]+|[.,;:)\]]+$/g, "");
  return (
    bare === "" ||
    REFERENCE_PATTERN.test(value) ||
    FILLER_PATTERN.test(bare) ||
    EXAMPLE_PATTERN.test(value) ||
    EXAMPLE_PATTERN.test(bare) ||
    PLACEHOLDER_WORD_PATTERN.test(bare)
  );
}

/**
 * How much a word looks like a secret. `strong`: hardly anything but a secret looks like the word. `weak`:
 * the word may also be a name or a plain word. `digits`: a number. `words`: quoted plain words.
 */
export type SecretLikeness = "none" | "digits" | "words" | "weak" | "strong";

const MAX_CHARS = 400;

/** Matches names of formats, algorithms and services that contain digits. */
const TECHNICAL_NAME_PATTERN =
  /^(?:base(?:16|32|36|45|58|62|64|64url|85)|(?:hmac-?)?(?:sha|shake|blake(?:\d[bs])?|md|ripemd|keccak)\d*[-_/]?\d+[a-z]*|(?:hs|rs|es|ps)(?:256|384|512)k?|(?:ed|x)(?:25519|448)|aes-?\w*(?:-\w+)*|x?chacha20(?:-?poly1305)?|argon2(?:id|i|d)?|pbkdf2\w*|bcrypt\w*|scrypt\w*|rsa-?\d+|ecdsa-?\w*|secp\d+[kr]1|p-?(?:256|384|521)|oauth-?[12](?:\.[01])?|utf-?\d+|uuid-?v?\d*|ulid\d*|[kicl]\d+[a-z]{1,2}|s3|ec2|r2|d1|http\/?[123](?:\.\d)?|ip-?v[46]|x[-.]?509(?:v3)?|pkcs-?#?\d+|p12|rfc-?\d+|iso-?\d+(?:-\d+)?|fido2|u2f|tls-?v?1(?:\.\d)?|ssl-?v?\d|1password\w*|auth0|gpio_?\d+|k3s|e2e\w*|web3|log4j2?|es\d{4}|(?:cl|[clopr])\d{2,3}k(?:_\w+)?|node-?\d+|python-?\d+(?:\.\d+)?|level-?\d+|v\d[\w.-]*)(?:-(?:encoded|hashed|signed|based|encrypted|[a-z]{1,6}))?$/i;

/** Matches `64-character`, `15min`, `3.14`, `22.11.0-rc1`, `2026-12-01T10:00`, `10k`, `4096-bit`, `1st`. */
const MEASURE_PATTERN =
  /^[~<>=+-]*\d[\d.,:/_-]*(?:-?(?:[a-z]{1,3}|%|chars?|characters?|digits?|bytes?|bits?|words?|days?|hours?|minutes?|seconds?|months?|weeks?|years?|times?|letters?|zeichen|stell(?:ig|en)\w*)|[T ][\d:.]+Z?|-?(?:alpha|beta|rc|dev|next)[\d.-]*)?$/i;

const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|jsonc?|ya?ml|toml|md|mdx|txt|py|rb|go|rs|java|kt|swift|c|h|cpp|cs|php|sh|sql|html?|css|scss|vue|svelte|xml|csv|env|ini|cfg|conf|lock|log|pem|key|crt|cer|p12|pfx|jks|zip|gz|tgz|tar|7z|png|jpe?g|svg|pdf|db|sqlite|proto|tf|mjml)(?::\d+)*$/i;

const VARIABLE_PATTERN = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const ADDRESS_PATTERN =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?$|^[\w.-]+:\d+$/;
const CODE_PATTERN = /^[\w.#$]+\(|^[\w.$-]+=\S|[{}<>|\\]|^[-#@&$]|\[\]|\w\[|\?\.|::|=>|->|\.\.\.|…/;
const IDENTIFIER_PATTERN =
  /^(?:ses|msg|prt|usr|user|evt|req|job|run|acct|cus|org|proj|call|toolu|chatcmpl|commit|sha\d*|md5|sha-\d+|m|h|n)[_:-][\w:.-]*$/;
/** Matches the published digest of a package or a script. */
const INTEGRITY_PATTERN = /^sha(?:256|384|512)-[A-Za-z0-9+/]{40,}={0,2}/;
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_PATTERN = /^(?:0x)?[0-9a-f]+$/i;

/**
 * Says whether all parts of a text are words and numbers: `us-east-1`, `claude-sonnet-4-5`, `Tournesol_33`,
 * `createToken2`.
 */
function hasNameShape(text: string): boolean {
  return text
    .split(/[-_./:+@]/)
    .every((part) => /^(?:\p{L}*\d{0,4}|\d{1,8}|\d{1,2}\p{L}{1,2})$/u.test(part));
}

/** Says whether words make up most of a camel-case name: `getUserAccessTokenV2`. */
function isCamelCase(text: string): boolean {
  if (!/^[A-Za-z]+(?:\d{1,2}[A-Za-z]+){0,2}\d{0,2}$/.test(text)) return false;
  const words = text.match(/[A-Z]?[a-z]{2,}/g)?.filter((word) => word.length >= 3) ?? [];
  return words.length >= 3 && words.join("").length >= text.length * 0.7;
}

/** Matches names of functions by verb and object: `checkPasswordV2`, `validatePw2`. */
const FUNCTION_NAME_PATTERN =
  /^(?:assert|build|check|create|decode|derive|encode|ensure|fetch|find|generate|get|handle|has|hash|is|load|make|parse|read|refresh|renew|require|reset|set|store|test|update|use|validate|verify)(?:[A-Z][a-z]*)*(?:Auth|Cookie|Credentials?|Hash|Key|Login|Passphrase|Passwd|Password|Pin|Pw|Pwd|Secret|Session|Token)(?:[A-Z][a-z]*)*\d{0,2}$/;

/** Matches a class and its method: `PasswordMailer#send_reset2`. */
const METHOD_NAME_PATTERN = /^(?:[A-Z][a-z]{1,30}){2,6}#[a-z_]+\d{0,2}[?!]?$/;

function isPath(text: string): boolean {
  return (
    /^(?:~|\.{1,2})?\//.test(text) ||
    (text.includes("/") && !/[!#$%^&*]/.test(text) && hasNameShape(text))
  );
}

function isHarmless(text: string): boolean {
  return (
    text.length < 4 ||
    text.length > MAX_CHARS ||
    isPlaceholder(text) ||
    [
      TECHNICAL_NAME_PATTERN,
      MEASURE_PATTERN,
      FILE_NAME,
      VARIABLE_PATTERN,
      ADDRESS_PATTERN,
      IDENTIFIER_PATTERN,
      INTEGRITY_PATTERN,
      FUNCTION_NAME_PATTERN,
      METHOD_NAME_PATTERN,
    ].some((pattern) => pattern.test(text)) ||
    isPath(text)
  );
}

export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Rates a word that is part of a sentence. */
export function rateLikeness(text: string): SecretLikeness {
  if (/^\d{4,12}$/.test(text)) return "digits";
  if (isHarmless(text) || CODE_PATTERN.test(text.replace(/=+$/, ""))) return "none";
  if (UUID_PATTERN.test(text)) return "weak";
  const [letters, digits] = [/\p{L}/u.test(text), /\d/.test(text)];
  const symbols = /[!#$%^&*~+?@]/.test(text.replace(/[!?]+$/, ""));
  if (!digits) return judgeMixedLetters(text, symbols);
  if (!letters) return symbols ? "weak" : "none";
  if (text.length < 8 || hasNameShape(text) || isCamelCase(text)) return "weak";
  if (HEX_PATTERN.test(text)) return text.length >= 12 ? "strong" : "weak";
  return countTransitions(text) >= 2 ? "strong" : "weak";
}

/** Rates letters without a digit: in long secrets, chance puts capitals in the middle. */
function judgeMixedLetters(text: string, hasSymbols: boolean): SecretLikeness {
  if (/^[A-Za-z+/~_-]{16,}=*$/.test(text) && countTransitions(text) >= 5 && !/[-_/]/.test(text))
    return "strong";
  if (hasSymbols && /\p{L}/u.test(text)) return "weak";
  const parts = text.split(/[-_]/);
  const isPhrase = parts.length >= 4 && parts.every((part) => /^\p{L}{3,}$/u.test(part));
  return isPhrase ? "weak" : "none";
}

/** Counts changes between letters, digits and symbols, and from a small letter to a capital. */
function countTransitions(text: string): number {
  return [
    ...text.matchAll(
      /(?<=\p{L})[^\p{L}]|(?<=\d)[^\d]|(?<=[^\p{L}\d])[\p{L}\d]|(?<=\p{Ll})\p{Lu}/gu,
    ),
  ].length;
}

/** Rates a quoted text. */
export function rateQuotedLikeness(text: string): SecretLikeness {
  const words = text.split(/\s+/);
  if (words.length === 1) {
    return isPlainWord(text) ? "words" : rateLikeness(text);
  }
  const arePlain =
    words.every((word) => /^[\p{L}\p{N}'’!?,.-]+$/u.test(word)) && !/[.,]\s/.test(text);
  return words.length <= 10 && arePlain ? "words" : "none";
}

function isPlainWord(text: string): boolean {
  return /^\p{Lu}?\p{Ll}{3,30}[!?]?$/u.test(text) && !isPlaceholder(text);
}

// Finds the words of a text that may be secrets, quoted or not. Pure.

export interface Candidate {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly likeness: Exclude<SecretLikeness, "none">;
}

const UNSPACED_SCRIPTS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";

/** Matches a word in quotes of any kind, or between spaces. */
const TOKEN_PATTERN = new RegExp(
  [
    '"([^"\\n]{1,120})"',
    "`([^`\\n]{1,120})`",
    "(?<![\\p{L}\\p{N}])'([^'\\n]{1,120})'(?![\\p{L}\\p{N}])",
    '[„“]([^„“”"\\n]{1,120})[“”"]',
    "«([^«»\\n]{1,120})»",
    "[「『]([^「」『』\\n]{1,120})[」』]",
    "‘([^‘’\\n]{1,120})’",
    `([^\\s"\`„“”«»「」『』‘、。，；：（）！？${UNSPACED_SCRIPTS}]+)`,
  ].join("|"),
  "gu",
);

/** Matches the characters around a word that don't belong to it. */
const LEADING_PUNCTUATION = /^[([*'’]+/;
const TRAILING_PUNCTUATION = /[.,;:)\]*'’…]+$/;

export function findCandidates(text: string, offset = 0): readonly Candidate[] {
  return [...text.matchAll(TOKEN_PATTERN)].flatMap((match) => {
    const bare = match.at(-1);
    if (bare !== undefined) return findBareCandidates(bare, offset + match.index);
    const quoted = match.slice(1).find((group) => group !== undefined) ?? "";
    return findQuotedCandidates(quoted, offset + match.index + 1);
  });
}

/** Matches most plain words quickly. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]*[.,;:]?$/;

function findBareCandidates(whole: string, at: number): readonly Candidate[] {
  if (PLAIN_WORD.test(whole)) return [];
  const start = at + (LEADING_PUNCTUATION.exec(whole)?.[0].length ?? 0);
  const text = whole.replace(LEADING_PUNCTUATION, "").replace(TRAILING_PUNCTUATION, "");
  const likeness = rateLikeness(text);
  return likeness === "none" ? [] : [{ text, start, end: start + text.length, likeness }];
}

/** Finds candidates within a quotation that mentions a secret and is therefore a sentence itself. */
function findQuotedCandidates(inner: string, at: number): readonly Candidate[] {
  const text = inner.trim();
  const likeness = findSecretWords(inner).length > 0 ? "none" : rateQuotedLikeness(text);
  if (likeness === "none") return findCandidates(inner, at);
  const start = at + inner.indexOf(text);
  return [{ text, start, end: start + text.length, likeness }];
}
