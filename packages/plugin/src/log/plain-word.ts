// Finds a password that is a plain word: "The wifi password is swordfish." Pure.
import { SECRET } from "./assigned-secrets.ts";

/** Lists other things that a sentence says about a password. */
const SAID =
  "wrong|right|correct|empty|blank|missing|short|longer|shorter|secret|weak|strong|valid|known|unknown|unique|random|there|where|found|fine|secure|insecure|plain|plaintext|gone|yours|theirs|different|identical|unset|reset|again|never|always|often|safe|unsafe|static|dynamic|local|remote|global|public|private|personal|shared|stale|fresh|older|newer|right|broken|hidden|given|written|taken|chosen|forgotten|known|shown|sent|built|bound|stuck|later|first|second|third|still|enough|below|above|inside|outside|elsewhere|everywhere|today|tomorrow|yesterday|incorrect|invalid|generic|trivial|default|normal|optional|mandatory|compulsory|irrelevant|obsolete|long|ours|none|null|undefined|masked|sicher|unsicher|falsch|richtig|leer|lang|bekannt|unbekannt|gleich|nötig|optional|gültig|ungültig|geheim|korrekt|veraltet|abgelaufen|verschlüsselt|vergessen|gespeichert";

const SENTENCE = new RegExp(
  `(\\b(?:password|passphrase|passcode|passwd|passwort|kennwort)(?:\\s(?:for|of|to|on|für|vom|von|zum)\\s[\\w .-]{1,40}?)?\\s(?:is|was|ist|war|lautet)(?:\\s(?:now|still|jetzt))?\\s)(?!(?:${SAID})\\b)(?!\\w{0,30}(?:ed|ing|[ai]ble|less|ful|ous|ive|ly|[ao]ry|[ae]nt|bar|lich|haft|ert|pflichtig)\\b)[a-z]{5,30}(?=\\s?[.!]?\\s*$)`,
  "i",
);

/** Lists words that form a term with a password's word, or that use one. */
const NOUNS =
  "field|prompt|manager|form|input|box|file|hash|policy|generator|column|dialog|option|flag|parameter|variable|twice|here|instead|only|alone|too|grant|flow|rules?|hint|screen|page|step|strength|meter|store|vault|service|module|plugin|provider|login|argument|setting|rotation|change|recovery|link|mail|email|list|table|value|property|component|helper|hasher|history|expiry|length|exactly|directly|immediately";

const USED = new RegExp(
  `(\\b(?:use|using|with|type|enter)\\s(?:the|this)\\s(?:password|passphrase|passcode)\\s)(?!(?:${SAID}|${NOUNS})\\b)(?!\\w{0,30}(?:ed|ing|[ai]ble|less|ful|ous|ive|ly|[ao]ry|[ae]nt)\\b)[a-z]{3,30}(?=\\s?[.!]?\\s*$)`,
  "i",
);

/** Masks a plain-word password in a line, only at the line's end, where no noun can follow. */
export function withoutPlainWord(line: string): string {
  return line.replace(SENTENCE, `$1${SECRET}`).replace(USED, `$1${SECRET}`);
}
