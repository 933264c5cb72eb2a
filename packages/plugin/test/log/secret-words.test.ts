import { describe, expect, test } from "bun:test";
import { findSecretWords } from "../../src/log/secret-words.ts";

/** What is found, each with its kind. */
const found = (text: string) =>
  findSecretWords(text).map(({ kind, text: word }) => `${kind}: ${word}`);

describe("words for a secret", () => {
  test.each([
    ["the password", "password: password"],
    ["Passphrase", "password: Passphrase"],
    ["mot de passe", "password: mot de passe"],
    ["the one time password", "pin: one time password"],
    ["the one-time_password", "pin: one-time_password"],
    ["code d'accès", "password: code d'accès"],
    ["code d’accès", "password: code d’accès"],
    ["a recovery code", "pin: recovery code"],
    ["the API key", "key: API key"],
    ["the api-key", "key: api-key"],
    ["an AWS access key", "key: AWS access key"],
    ["пароль", "password: пароль"],
    ["секретный ключ", "key: секретный ключ"],
  ])("%p: %p", (text, word) => expect(found(text)).toEqual([word]));

  test("a longer phrase is taken in place of the word that it begins with", () => {
    expect(found("the secret key and the secret")).toEqual(["key: secret key", "key: secret"]);
    expect(found("clave privada, clave")).toEqual(["key: clave privada", "password: clave"]);
  });

  test("two words belong together with one character between them", () => {
    expect(found("api  key")).toEqual([]);
    expect(found("api.key")).toEqual([]);
    expect(found("one time.password")).toEqual(["password: password"]);
  });

  test("in German, Dutch and the like a word may end a longer one", () => {
    expect(found("das Datenbankpasswort")).toEqual(["password: Datenbankpasswort"]);
    expect(found("ein Zugriffstoken")).toEqual(["key: Zugriffstoken"]);
    expect(found("het databasewachtwoord")).toEqual(["password: databasewachtwoord"]);
    expect(found("der Passwortmanager, ein Tokenizer, ein Postwort")).toEqual([]);
  });

  test("other things begin as a secret's word, and are none", () => {
    expect(found("design token, clave primaria, secret santa, palabra clave")).toEqual([]);
    expect(found("the keyboard, a keypad, a tokenizer")).toEqual([]);
  });

  test("a PIN is one in capitals alone", () => {
    expect(found("the PIN of the door")).toEqual(["pin: PIN"]);
    expect(found("pin the version, Pin it")).toEqual([]);
    expect(found("the pin code")).toEqual(["pin: pin code"]);
  });

  test("a pass is a password where it is set, or is what no name is", () => {
    for (const text of ["pass: x", "pass = x", "pass  = x", "pass is harbor-22", "pass was a1b"]) {
      expect(found(text)).toEqual(["password: pass"]);
    }
    for (const text of ["pass is over", "pass it on", "pass   = x", "pass is  a1b", "pass"]) {
      expect(found(text)).toEqual([]);
    }
  });

  test("a name with digits beside it is another name", () => {
    expect(found("password2 3token 4secret5 token")).toEqual(["key: token"]);
  });

  test.each([
    ["密码是 x", "password: 密码"],
    ["暗証番号は x", "pin: 暗証番号"],
    ["핀 번호는 x", "pin: 핀 번호"],
    ["핀번호는 x", "pin: 핀번호"],
    ["アクセスキー", "key: アクセスキー"],
    ["秘密 キー", "key: 秘密 キー"],
    ["apiキー", "key: apiキー"],
    ["API キー", "key: API キー"],
    ["トークン", "key: トークン"],
    ["비밀번호", "password: 비밀번호"],
  ])("without spaces: %p: %p", (text, word) => expect(found(text)).toEqual([word]));

  test("words of both kinds of script stand in the order of the text", () => {
    expect(found("密码 password 令牌 token")).toEqual([
      ...["password: 密码", "password: password", "key: 令牌", "key: token"],
    ]);
  });

  test("each has its place", () => {
    const text = "the API key and a token";
    for (const { start, end, text: word } of findSecretWords(text)) {
      expect(text.slice(start, end)).toBe(word);
    }
    expect(findSecretWords(text).map(({ start, end }) => [start, end])).toEqual([
      ...[
        [4, 11],
        [18, 23],
      ],
    ]);
    // Letters that are longer in the other case: the places are the text's own.
    expect(findSecretWords("İİ the password")[0]).toMatchObject({ start: 7, end: 15 });
  });
});
