// Finds secrets in sentences: a word for a secret, and near it something that looks like one. Pure, in linear time.
import { MASK } from "./assigned-secrets.ts";
import { type Candidate, findCandidates, isUuid } from "./secret-likeness.ts";
import { maskPairs } from "./secret-pairs.ts";
import { findSecretWords, type SecretWord } from "./secret-words.ts";

// Recognises the numbers of payment cards. Pure.

const CARD_NUMBER = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;

/** Matches the prefixes of issuers, with the lengths of the numbers that they issue. */
const ISSUED_CARD =
  /^(?:4\d{15}|4\d{12}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/;

/** Matches digits as people group them: in fours, or as on an American Express card. */
const GROUPED_CARD = /^\d{4}([ -])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{5})$/;

/** Matches a word for a card, which must be on the line of an ungrouped number. */
const CARD_WORD =
  /\b(?:credit|debit|cards?|visa|master-?card|amex|american express|charge|pay|kreditkarte|karte|kartennummer|carte|tarjeta|cartão|carta|kaart|karta|karty)\b|карт|カード|卡号/iu;

/** Lists numbers that issuers publish for tests. */
const TEST_CARD =
  /^(?:4242|4111111111111111|4000[05]|4012888888881881|5555555555554444|5105105105105100|2223003122003222|3782822463|371449635398431|6011111111111117|6011000990139424)/;

function maskCards(line: string): string {
  return line.replace(CARD_NUMBER, (written) => {
    const digits = written.replace(/\D/g, "");
    if (!ISSUED_CARD.test(digits) || TEST_CARD.test(digits) || !hasCheckDigit(digits))
      return written;
    return GROUPED_CARD.test(written) || CARD_WORD.test(line) ? MASK : written;
  });
}

/** Says whether the number's Luhn checksum is right. */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

// Finds a secret in the sentence after the one that mentions it: "We changed the password. Now it's …". Pure.

const REPLACEMENT_PATTERN =
  "(?:new|current|replacement|updated|latest)(?: (?:one|value|password|passphrase|token|key|secret|code))?";
const NOW_PATTERN = "(?:now|since then|from (?:now|today) on|today|currently)";
const LEAD_IN_PATTERN = [
  `(?:${NOW_PATTERN},? )?(?:it|that|this)(?:['’]s| is| was| has been)(?: ${NOW_PATTERN})?(?: (?:set|changed|reset|switched) to)?`,
  `(?:${NOW_PATTERN},? )?(?:the |its |our )?${REPLACEMENT_PATTERN}(?: is| was)?(?: ${NOW_PATTERN})?`,
  "(?:please )?use",
  "(?:i|we|they|he|she)(?: have|['’]ve)? (?:set|changed|reset|switched|updated) (?:it|that|this) to",
  "(?:(?:jetzt|nun|ab jetzt|seitdem|ab sofort) )?(?:ist|lautet|heißt) (?:es|sie|er|das neue|der neue)(?: (?:jetzt|nun))?",
  "(?:es|das|er|sie|dieses) (?:ist|lautet|heißt)(?: (?:jetzt|nun|ab jetzt|ab sofort|seitdem))?",
  "(?:(?:das|der|die) )?neue[rs]?(?: \\p{L}+)?(?: (?:ist|lautet|heißt))?(?: (?:jetzt|nun))?",
  "(?:(?:maintenant|désormais|à présent|dorénavant),? )?(?:c['’]est|il est|elle est|ce sera)(?: (?:maintenant|désormais|à présent))?",
  "(?:(?:le|la) )?nouve(?:au|lle)(?: \\p{L}+(?: de passe)?)?(?: est)?(?: (?:maintenant|désormais))?",
  "(?:(?:ahora|desde ahora|desde hoy) )?(?:es|será|ahora es)(?: ahora)?",
  "(?:(?:la|el) )?nuev[ao](?: \\p{L}+)?(?: es)?(?: ahora)?",
  "(?:agora|ora|adesso) (?:é|è)|(?:(?:a|o|la|il) )?(?:nov[ao]|nuov[ao])(?: \\p{L}+)? (?:é|è)",
  "nu is het|het is nu|(?:het|de) nieuwe(?: \\p{L}+)? is|teraz to|nowe to|(?:теперь|сейчас)(?: это| он)?|новый",
].join("|");

const NEXT_SENTENCE = new RegExp(
  `^[^.!?\\n]{0,100}[.!]["'”)]?\\s+(?:${LEAD_IN_PATTERN})\\s?[:–—-]?\\s*$`,
  "iu",
);

/** Says whether the text after a word for a secret leads to a secret in the next sentence. */
function leadsIntoNextSentence(gap: string): boolean {
  return NEXT_SENTENCE.test(gap);
}

// Finds a password that is a plain word: "The wifi password is swordfish." Pure.

/** Lists words that, after "the password is", describe the password instead of quoting it. */
const NON_PASSWORD_WORDS =
  "wrong|right|correct|empty|blank|missing|short|longer|shorter|secret|weak|strong|valid|known|unknown|unique|random|there|where|found|fine|secure|insecure|plain|plaintext|gone|yours|theirs|different|identical|unset|reset|again|never|always|often|safe|unsafe|static|dynamic|local|remote|global|public|private|personal|shared|stale|fresh|older|newer|right|broken|hidden|given|written|taken|chosen|forgotten|known|shown|sent|built|bound|stuck|later|first|second|third|still|enough|below|above|inside|outside|elsewhere|everywhere|today|tomorrow|yesterday|incorrect|invalid|generic|trivial|default|normal|optional|mandatory|compulsory|irrelevant|obsolete|long|ours|none|null|undefined|masked|sicher|unsicher|falsch|richtig|leer|lang|bekannt|unbekannt|gleich|nötig|optional|gültig|ungültig|geheim|korrekt|veraltet|abgelaufen|verschlüsselt|vergessen|gespeichert";

const PASSWORD_SENTENCE = new RegExp(
  `(\\b(?:password|passphrase|passcode|passwd|passwort|kennwort)(?:\\s(?:for|of|to|on|für|vom|von|zum)\\s[\\w .-]{1,40}?)?\\s(?:is|was|ist|war|lautet)(?:\\s(?:now|still|jetzt))?\\s)(?!(?:${NON_PASSWORD_WORDS})\\b)(?!\\w{0,30}(?:ed|ing|[ai]ble|less|ful|ous|ive|ly|[ao]ry|[ae]nt|bar|lich|haft|ert|pflichtig)\\b)[a-z]{5,30}(?=\\s?[.!]?\\s*$)`,
  "i",
);

/** Lists words that form a compound with a word for a password, or follow "use the password". */
const COMPOUND_WORDS =
  "field|prompt|manager|form|input|box|file|hash|policy|generator|column|dialog|option|flag|parameter|variable|twice|here|instead|only|alone|too|grant|flow|rules?|hint|screen|page|step|strength|meter|store|vault|service|module|plugin|provider|login|argument|setting|rotation|change|recovery|link|mail|email|list|table|value|property|component|helper|hasher|history|expiry|length|exactly|directly|immediately";

const PASSWORD_USE = new RegExp(
  `(\\b(?:use|using|with|type|enter)\\s(?:the|this)\\s(?:password|passphrase|passcode)\\s)(?!(?:${NON_PASSWORD_WORDS}|${COMPOUND_WORDS})\\b)(?!\\w{0,30}(?:ed|ing|[ai]ble|less|ful|ous|ive|ly|[ao]ry|[ae]nt)\\b)[a-z]{3,30}(?=\\s?[.!]?\\s*$)`,
  "i",
);

/** Masks a plain-word password only at the end of a line, where no noun can follow. */
function maskPlainWord(line: string): string {
  return line.replace(PASSWORD_SENTENCE, `$1${MASK}`).replace(PASSWORD_USE, `$1${MASK}`);
}

// Finds the seed phrases of wallets: twelve or more plain words after a word for such a phrase. Pure.

const SEED_NAME_PATTERN =
  "\\b(?:seed|recovery|backup|secret|mnemonic)[ -]?(?:phrase|words)|\\bmnemonics?\\b|\\bmnemonik\\b|\\b(?:12|15|18|21|24|twelve|twenty-four) (?:seed )?words\\b|\\b(?:12|24) (?:wörter|mots|palabras|palavras|parole|woorden)\\b|wiederherstellungsphrase|phrase de récupération|frase (?:semilla|de recuperación|de recuperação|di recupero)";

/** Matches a possible word of a seed phrase, but none of these words of ordinary sentences. */
const SEED_WORD_PATTERN =
  "(?!(?:the|and|are|was|were|has|had|have|for|with|from|into|its|not|but|your|our|their|which|when|who|per|must|should|can't)\\b)[a-z]{3,8}";

const SEED_PHRASE_PATTERN = new RegExp(
  `((?:${SEED_NAME_PATTERN})[^\\n]{0,60}?(?<![a-z]))(${SEED_WORD_PATTERN}(?:[ ,]{1,2}${SEED_WORD_PATTERN}){11,23})(?![a-z])`,
  "giu",
);

function maskSeedPhrases(line: string): string {
  return line.replace(SEED_PHRASE_PATTERN, `$1${MASK}`);
}

/** Masks secrets line by line: a secret is on the same line as the word for it. */
export function maskProse(text: string): string {
  return text
    .split("\n")
    .map((line) => maskPairs(maskLine(maskSeedPhrases(maskCards(line)))))
    .join("\n");
}

function maskLine(text: string): string {
  const words = findSecretWords(text);
  if (words.length === 0) return text;
  let clean = "";
  let at = 0;
  let next = 0;
  for (const candidate of findCandidates(text)) {
    while ((words[next]?.end ?? Number.POSITIVE_INFINITY) <= candidate.start) next += 1;
    const after = words.slice(next, next + 2).find(({ start }) => start >= candidate.end);
    if (!isNamedBefore(text, words[next - 1], candidate) && !isNamedAfter(text, candidate, after)) {
      continue;
    }
    clean += text.slice(at, candidate.start) + MASK;
    at = candidate.end;
  }
  return maskPlainWord(clean + text.slice(at));
}

/** Limits the distance between a secret and the word for it, in characters. */
const MAX_GAP_CHARS = 80;
const MAX_NEXT_SENTENCE_GAP_CHARS = 140;
const MAX_GAP_BEFORE_WORD_CHARS = 60;

const SENTENCE_END_PATTERN = /(?<!\bi\.e)[.!?]["'`”)]*\s|[。！？\n]/;
const OPENING_QUOTE = /["'`„“«「『‘]*$/;
const CLOSING_QUOTE_PATTERN = /^\s?["'`”“»」』’]+|^/;

const LINKING_VERB =
  "is|are|was|were|be|been|got|becomes?|remains?|reads|equals|stays|to|from|ist|lautet?|lauten|war|sind|heißt|bleibt|auf|est|c['’]est|était|sont|es|era|son|é|foi|são|è|sono|jest|brzmi|są|это|равен|равна|är|je|er|luidt|zijn|olarak";
const ADVERB_PATTERN =
  "now|still|currently|simply|just|always|again|set to|changed to|rotated to|reset to|updated to|switched to|jetzt|noch|nun|immer noch|maintenant|toujours|ahora|todavía|agora|ora|adesso|nu|teraz|теперь|сейчас|again";
const LINKING_SIGN = "[:=：＝→—–(（~-]|->|=>|,? ?i\\.e\\.";
/** Matches what may follow a word for a secret: `of the staging database`, `itself`, `(prod)`, `1`. */
const QUALIFIER_PATTERN =
  "['’]s|\\s(?:for|of|to|on|in|at|from|under|with|between|among|across|behind|inside|we|itself|that|which|value|für|fürs|von|vom|der|des|zum|zur|zu|im|auf|am|bei|de|du|d['’]\\S+|des|pour|sur|del|della|dello|di|da|do|dos|das|per|para|en|em|van|voor|op|do|dla|na|z|od|для|от|к|у|на|администратора|till|til|för|pro|\\d{1,2})(?=[\\s:=])[^;\\n]{0,60}?|,\\s(?:which|that|die|das|der|qui|que)\\b[^;,\\n]{0,50},|\\s(?:root|admin|sudo|prod|staging|wifi|vpn|ssh|ftp|db)(?=\\s)|\\s?\\([^()\\n]{1,40}\\)";

/** Matches "password IS …", "password of the database IS …", "password: …". */
const LINK_PATTERN = new RegExp(
  `^(?:${QUALIFIER_PATTERN})?(?:\\s+(?:(?:has|have|had|wurde)\\s+)?(?:${LINKING_VERB})(?:\\s+(?:${ADVERB_PATTERN}))*\\s*[:=]?|\\s*(?:${LINKING_SIGN})|['’]s)\\s*$`,
  "iu",
);
/** Matches a link in Chinese, Japanese or Korean: a particle, or nothing. */
const UNSPACED_LINK =
  /^\s*(?:[是为為即はがを:：=＝→（(]|等于|现在是|现为|设为|改为|改成|는|은|이|가|를)?\s*$/;
/**
 * Matches a sentence about the value's place instead of the value: "パスワードは Vault にあります", "비밀번호는 Vault에 있습니다".
 */
const LOCATION = /^\s?(?:に(?:あ|保存|保管|格納|入っ)|で(?!す|し)|에(?:서|\s?(?:있|저장|보관)))/u;
const UNSPACED_SCRIPT_PATTERN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Matches a word after which a text that looks like a secret is something else. */
const OTHER_SUBJECT =
  /\b(?:commit|revision|sha|hash|digest|checksum|fingerprint|version|release|id|user|role|model|issue|ticket|branch|tag|image|column|table|file|function|method|class|type|constant|variable|package|module|header|endpoint|route|port|host|server|region|bucket|algorithm|format|pull request|PR)s?\s*[:=]?\s*$/i;
/** Matches an aspect of the secret other than its value: "The token type IS …". */
const ASPECT_PATTERN =
  /^\s(?:algorithm|alphabet|class|column|endpoint|field|format|function|header|issuer|method|module|parser|prefix|provider|route|scheme|service|table|type|validator|version)\s(?:is|was|remains|becomes)(?:\s(?:called|named|a|an|the))?\s*$/i;
const UNIT_PATTERN =
  /^\s?(?:-|%|(?:char|byte|bit|digit|word|letter|token|second|minute|hour|day|week|month|year|time|zeichen|stellen|caract|tekens|znak|символ|знак|цифр)|[位字文桁个個]|(?:ms|s|kb|mb|px)\b)/i;

const PLURAL_PATTERN =
  /(?:words?|codes?|phrases?|tokens|secrets|keys|jetons|claves|senhas|chaves|contraseñas)$/i;
function isPlural(word: string): boolean {
  return /s$/i.test(word) && PLURAL_PATTERN.test(word);
}

/** Matches "The password? It's secret", "Here is the password. It is secret". */
const ANSWER_PATTERN =
  /^(?:\?\s*(?:[:–—-]|(?:it|that)(?:['’]s| is))?|[.,]\s+it(?:['’]s| is)(?: now)?)\s*$/i;

/** Says whether a word for a secret precedes and names it: "The password … secret". */
function isNamedBefore(text: string, word: SecretWord | undefined, found: Candidate): boolean {
  if (word === undefined || found.start - word.end > MAX_NEXT_SENTENCE_GAP_CHARS) return false;
  const whole = text.slice(word.end, found.start);
  const gap = whole.replace(OPENING_QUOTE, "");
  if (leadsIntoNextSentence(gap)) return couldFollow(text, word, found);
  if (gap.length > MAX_GAP_CHARS) return false;
  const isUnspaced = UNSPACED_SCRIPT_PATTERN.test(word.text);
  if (isUnspaced && LOCATION.test(text.slice(found.end, found.end + 8))) return false;
  const isLinked =
    LINK_PATTERN.test(gap) || (isUnspaced && UNSPACED_LINK.test(gap.replace(OPENING_QUOTE, "")));
  if (ANSWER_PATTERN.test(gap)) return found.likeness === "strong" || found.likeness === "weak";
  if (SENTENCE_END_PATTERN.test(gap)) return false;
  if (isLinked) return couldBeLinked(text, word, found);
  if (OTHER_SUBJECT.test(gap) || ASPECT_PATTERN.test(gap)) return false;
  if (found.likeness === "strong") return !isPlural(word.text);
  // An apposition counts too: "the password, secret, opens …".
  const isBeside = /^\s{1,2}$/.test(gap) || (gap === ", " && text.startsWith(",", found.end));
  if (isBeside) return couldBeAdjacent(text, word, found, whole !== gap);
  return false;
}

/** Says whether the next sentence's "it" is the secret: a plain word or number could be something else. */
function couldFollow(text: string, word: SecretWord, found: Candidate): boolean {
  if (found.likeness === "words") return false;
  return (found.likeness !== "digits" || word.kind === "pin") && couldBeLinked(text, word, found);
}

function couldBeLinked(text: string, { kind }: SecretWord, found: Candidate): boolean {
  switch (found.likeness) {
    case "strong":
    case "weak":
      return true;
    case "digits":
      return (
        (kind !== "key" || found.text.length >= 10) &&
        !UNIT_PATTERN.test(text.slice(found.end, found.end + 12))
      );
    case "words":
      return kind === "password" || found.text.split(/\s+/).length >= 3;
  }
}

/** Says whether the secret follows without a word between: "with the password secret". */
function couldBeAdjacent(
  text: string,
  { kind, text: word }: SecretWord,
  found: Candidate,
  isQuoted: boolean,
): boolean {
  if (isPlural(word) && !isQuoted) return false;
  switch (found.likeness) {
    case "strong":
      return true;
    case "weak":
      if (kind === "key") {
        const isToken = isQuoted && /\d/.test(found.text) && /(?:token|key)$/i.test(word);
        return isToken || isUuid(found.text);
      }
      return isQuoted || /[\d!#$%^&*~+?@]/.test(found.text);
    case "digits":
      return (kind === "pin" || /code$/i.test(word)) && found.text.length <= 8;
    case "words":
      return kind === "password" && endsPhrase(text, found.end);
  }
}

/** Matches "secret IS the password". */
const BACKWARD_LINK_PATTERN = new RegExp(
  `^\\s?[,;–—-]?\\s*(?:used to be|that['’]s|it['’]s|which is|(?:${LINKING_VERB})(?:\\s+(?:${ADVERB_PATTERN}))*|as|als|como|comme|come|jako|как|som)\\s(?:\\S{1,20}\\s){0,4}(?:\\S{1,20}-)?$`,
  "iu",
);

/** Matches "Type secret when it asks for the password", "Paste secret into the token field". */
const ENTRY_VERB =
  /\b(?:type|enter|paste|put|input|tippe|gib|tape|saisis|saisissez|entrez|escribe|introduce|digita|inserisci|wpisz)\s["'`„“«]?$/i;
const ENTRY_PLACE =
  /^\s(?:when|whenever|as soon as|once|if|at|into|in|wenn|sobald|bei|beim|ins|quand|lorsque|dans|à|cuando|si|en|quando|no|nel|gdy)\s(?:\S{1,20}\s){0,6}$/i;

function isEnteredInto(text: string, found: Candidate, gap: string): boolean {
  const mayBe = found.likeness === "strong" || found.likeness === "weak";
  return (
    mayBe &&
    ENTRY_PLACE.test(gap) &&
    ENTRY_VERB.test(text.slice(Math.max(0, found.start - 24), found.start))
  );
}

function isNamedAfter(text: string, found: Candidate, word: SecretWord | undefined): boolean {
  if (word === undefined || word.start - found.end > MAX_GAP_BEFORE_WORD_CHARS) return false;
  const gap = text.slice(found.end, word.start).replace(CLOSING_QUOTE_PATTERN, "");
  if (SENTENCE_END_PATTERN.test(gap) || isPlural(word.text)) return false;
  if (isEnteredInto(text, found, gap)) return true;
  if (OTHER_SUBJECT.test(text.slice(Math.max(0, found.start - 24), found.start))) return false;
  if (found.likeness === "strong") return true;
  if (found.likeness === "digits" && word.kind !== "pin") return false;
  return BACKWARD_LINK_PATTERN.test(gap) && endsPhrase(text, word.end);
}

/** Says whether the noun phrase ends here, unlike "password reset". */
function endsPhrase(text: string, at: number): boolean {
  return /^["'`”“»」』’)]*(?:$|[.,;:!?)\n—–-]|\s+(?:$|[(—–-]|(?:and|or|for|of|in|on|to|at|until|that|which|works|unlocks|opens|but|und|oder|für|nuev[ao]|actual|von|vom|de|des|du|del|della|der|do|da|di|pour|para|per|van|voor|na|dla|для|от|и)(?!\p{L})))/u.test(
    text.slice(at, at + 24),
  );
}
