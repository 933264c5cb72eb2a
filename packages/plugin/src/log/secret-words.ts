// Finds words for secrets in a text, by language. Pure, in linear time.

/**
 * The kinds of words for secrets: people choose and say a `password`, a `pin` may consist of digits alone,
 * and a program makes a `key`.
 */
type WordKind = "password" | "pin" | "key";

/** Lists words, separated by commas; a word that begins with `…` may end a longer one. */
const PASSWORD_WORDS = `
  password, passwords, passcode, passcodes, passphrase, passphrases, pass phrase, passwd, pwd, pw,
  credential, credentials, creds, login data,
  …passwort, …passworts, …passwörter, …kennwort, …kennworts, …kennwörter, …passphrasen, zugangsdaten, anmeldedaten, zugangscode,
  …wachtwoord, …wachtwoorden, …wachtwoordzin, inloggegevens, toegangscode,
  lösenord, lösenordet, passord, passordet, adgangskode, adgangskoden, salasana, salasanan, jelszó, jelszava,
  mot de passe, mots de passe, mdp, phrase secrète, identifiants, code d'accès,
  contraseña, contraseñas, contrasena, frase de contraseña, clave, claves, credenciales,
  senha, senhas, palavra passe, palavra chave, credenciais, parola d'ordine, credenziali,
  hasło, hasła, hasłem, hasłu, haśle, haseł, poświadczenia, dane logowania, heslo, hesla, heslem,
  пароль, пароля, паролю, паролем, пароле, пароли, кодовая фраза, парола,
  wi fi key, wifi key, wlan key, wpa key, wpa2 key, wireless key, wlan schlüssel, wifi schlüssel, wi fi schlüssel, netzwerkschlüssel,
  clé wifi, clé wi fi, clé du wifi, clé du wi fi, clave wifi, clave del wifi, chave do wifi, chiave wifi, chiave del wifi,
  şifre, şifresi, parola, parolası, mật khẩu, kata sandi, κωδικός`;

const PIN_WORDS =
  "recovery code, recovery codes, backup code, backup codes, access code, access codes, activation code, security code, unlock code, door code, alarm code, entry code, gate code, lock code, keypad code, pairing code, one time code, one time password, otp, verification code, confirmation code, login code, sms code, bestätigungscode, sicherheitscode, freischaltcode, freigabecode, einmalcode, entsperrcode, türcode, prüfcode, code secret, code de vérification, code de confirmation, code de sécurité, código de verificación, código de confirmación, código de seguridad, código secreto, código de verificação, código de confirmação, codice di verifica, codice di conferma, codice segreto, verificatiecode, bevestigingscode, toegangscode, kod weryfikacyjny, kod dostępu, код подтверждения, pin code, pin codes, pincode, pin nummer, pin number, code pin, codice pin, código pin, пин, пин код, пинкод, пин кода, пин кодом";

const KEY_WORDS = `
  …token, tokens, secret, secrets, apikey, apikeys, connection string, connection strings, seed phrase, recovery phrase,
  auth code, mnemonic, session cookie, session cookies, auth cookie, sessioncookie, sitzungscookie, cookie de session, cookie de sesión, cookie di sessione, cookie de sessão, encryption secret, psk, pre shared key, preshared key, community string, jeton api, jeton d'accès, jetons api,
  …schlüssel api, …api schlüssel, …apischlüssel, …zugangsschlüssel, …zugriffsschlüssel, …geheimschlüssel, …lizenzschlüssel,
  geheime schlüssel, geheimer schlüssel, geheimen schlüssel, private schlüssel, privater schlüssel, privaten schlüssel, geheimnis,
  api sleutel, geheime sleutel, privé sleutel, toegangssleutel, licentiesleutel,
  jeton, jetons, clé api, clés api, clé d'api, clé de l'api, clé secrète, clés secrètes, clé privée, clé d'accès, clef secrète, clef d'accès,
  secreto, llave secreta, llave privada, llave de api, clave secreta, clave privada, clave api, clave de api,
  chave api, chave de api, chave da api, chaves de api, chave secreta, chave privada, chave de acesso, segredo,
  chiave api, chiavi api, chiave segreta, chiave privata, chiave di accesso, segreto,
  klucz api, klucza api, kluczem api, klucz dostępu, klucz prywatny, klucz tajny, tajny klucz, prywatny klucz, sekret,
  секретный ключ, секретного ключа, секретным ключом, приватный ключ, закрытый ключ, апи ключ, api ключ, ключ api, ключ доступа, ключа доступа,
  токен, токена, токену, токеном, токены, секрет, секрета, секретом`;

const KEY_QUALIFIERS =
  "api|access|secret|private|encryption|decryption|signing|master|service|account|storage|deploy|deployment|license|licence|product|activation|hmac|wallet|webhook|unseal|recovery|root|bearer|auth|client|subscription|shared|map|maps|admin|ssh|gpg|jwt|vault|aws|stripe|mailgun|sendgrid|twilio|openai|anthropic|azure|gcp|google|tailscale|airtable|algolia|cloudflare|datadog|deepl|digitalocean|discord|elevenlabs|figma|firebase|github|gitlab|groq|heroku|jira|linear|mapbox|mistral|netlify|notion|npm|pinecone|postman|replicate|sentry|slack|supabase|telegram|vercel|weather";

/** Matches "pass: …", "the pass is harbor-22". */
const PASS_VALUE_PATTERN = /^(?: {0,2}[:=]| (?:is|was) (?=\S*[\d!#$%^&*~+?@])\S)/;

/** Lists terms that begin like a word for a secret but mean something else. */
const NON_SECRET_WORDS =
  "clave primaria, clave foránea, clave externa, claves primarias, palabra clave, design token, design tokens, secret santa, secret sauce, key account";

/** Matches words of languages without spaces, in which a word's beginning is not visible. */
const UNSPACED_WORD_PATTERN =
  /(密码|密碼|口令|暗号|凭证|凭据|パスワード|パスフレーズ|合言葉|認証情報|비밀번호|암호)|(暗証番号|認証コード|确认码|验证码|驗證碼|핀 ?번호|인증 ?번호)|(?:密钥|密鑰|秘钥|令牌|シークレット|トークン|(?:[Aa][Pp][Ii]|アクセス|秘密) ?キー|秘密鍵|토큰|비밀키)/g;
const UNSPACED_SCRIPT_PATTERN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/** Matches letters of the languages above, except those that are written without spaces. */
const WORD_PATTERN = /[A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff]+/g;
const MAX_WORDS = 4;

export interface SecretWord {
  readonly kind: WordKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Maps whole phrases to their kind; null marks a phrase that means something else. */
const KIND_BY_PHRASE = new Map<string, WordKind | null>();
const KIND_BY_ENDING = new Map<string, WordKind>();
registerWords(PASSWORD_WORDS, "password");
registerWords(PIN_WORDS, "pin");
registerWords(KEY_WORDS, "key");
for (const of of KEY_QUALIFIERS.split("|"))
  registerWords(`${of} key, ${of} keys, ${of} access key`, "key");
registerWords(NON_SECRET_WORDS, null);
const FIRST_WORDS = new Set([...KIND_BY_PHRASE.keys()].map((phrase) => phrase.split(" ", 1)[0]));
const ENDING_SUFFIX_CHARS = 4;
const ENDING_SUFFIXES = new Set(
  [...KIND_BY_ENDING.keys()].map((end) => end.slice(-ENDING_SUFFIX_CHARS)),
);

function registerWords(list: string, kind: WordKind | null): void {
  for (const written of list.split(",").map((one) => one.trim().replaceAll("'", " "))) {
    const phrase = written.replace("…", "");
    KIND_BY_PHRASE.set(phrase, kind);
    if (kind !== null && phrase !== written) KIND_BY_ENDING.set(phrase, kind);
  }
}

/** Returns the words for secrets in the order of the text. */
export function findSecretWords(text: string): readonly SecretWord[] {
  const spaced = findSpacedWords(text);
  if (!UNSPACED_SCRIPT_PATTERN.test(text)) return spaced;
  const unspaced = [...text.matchAll(UNSPACED_WORD_PATTERN)].map((match) => {
    const kind = match[1] !== undefined ? "password" : match[2] !== undefined ? "pin" : "key";
    return toSecretWord(text, kind, match.index, match.index + match[0].length);
  });
  return [...spaced, ...unspaced].toSorted((one, other) => one.start - other.start);
}

function toSecretWord(text: string, kind: WordKind, start: number, end: number): SecretWord {
  return { kind, text: text.slice(start, end), start, end };
}

interface WordMatch {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

function findSpacedWords(text: string): readonly SecretWord[] {
  const lower = text.toLowerCase();
  // Lower-casing makes a few letters longer; the text is then matched in its own case.
  const letters = [...(lower.length === text.length ? lower : text).matchAll(WORD_PATTERN)].map(
    ({ 0: word, index }): WordMatch => ({ word, start: index, end: index + word.length }),
  );
  const found: SecretWord[] = [];
  for (let at = 0; at < letters.length; ) {
    const { kind, count } = findPhrase(text, letters, at);
    const [first, last] = [letters[at], letters[at + count - 1]];
    at += count;
    if (kind === null || first === undefined || last === undefined) continue;
    if (isDigit(text, first.start - 1) || isDigit(text, last.end)) continue;
    found.push(toSecretWord(text, kind, first.start, last.end));
  }
  return found;
}

interface PhraseMatch {
  readonly kind: WordKind | null;
  readonly count: number;
}

/** Returns the longest phrase that begins at this word. */
function findPhrase(text: string, letters: readonly WordMatch[], at: number): PhraseMatch {
  const first = letters[at];
  if (first === undefined) return { kind: null, count: 1 };
  let best: PhraseMatch = { kind: classifyWord(text, first), count: 1 };
  if (!FIRST_WORDS.has(first.word)) return best;
  let phrase = first.word;
  let end = first.end;
  for (const { word, ...place } of letters.slice(at + 1, at + MAX_WORDS)) {
    if (place.start - end !== 1 || !/[ _'’-]/.test(text.charAt(end))) break;
    phrase += ` ${word}`;
    end = place.end;
    const kind = KIND_BY_PHRASE.get(phrase);
    if (kind !== undefined) best = { kind, count: phrase.split(" ").length };
  }
  return best;
}

function classifyWord(text: string, { word, start, end }: WordMatch): WordKind | null {
  const known = KIND_BY_PHRASE.get(word);
  if (known !== undefined) return known;
  // "to pin" and "to pass" as verbs do not count.
  if (word === "pin") return text.slice(start, end) === "PIN" ? "pin" : null;
  if (word === "pass")
    return PASS_VALUE_PATTERN.test(text.slice(end, end + 24)) ? "password" : null;
  if (!ENDING_SUFFIXES.has(word.slice(-ENDING_SUFFIX_CHARS))) return null;
  for (const [ending, kind] of KIND_BY_ENDING) if (word.endsWith(ending)) return kind;
  return null;
}

function isDigit(text: string, at: number): boolean {
  return /\d/.test(text.charAt(at));
}
