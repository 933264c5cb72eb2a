// What a sentence must say of a word for it to be a secret, rule by rule.
import { describe, expect, test } from "bun:test";
import { maskProse } from "../../src/log/secret-prose.ts";

/** What stands between ⟦ and ⟧ is the secret; without marks, the text has none. */
function expectMasked(written: string): void {
  const whole = written.replace(/[⟦⟧]/g, "");
  expect(maskProse(whole)).toBe(written.replace(/⟦[^⟧]*⟧/g, "[secret]"));
}

/** In words that link nothing. */
const far = (chars: number) => `${"and so on ".repeat(9).slice(0, chars - 1)} `;

describe("a secret after its word", () => {
  test.each([
    // Linked by a verb or a sign.
    "The password is ⟦hunter2⟧.",
    "The password of the staging database is ⟦hunter2⟧.",
    "The password (prod) is ⟦hunter2⟧.",
    "The password for ann, which nobody likes, is ⟦S3cr3t!2024⟧.",
    "The password has been changed to ⟦hunter2⟧.",
    "The password is now simply ⟦hunter2⟧.",
    "The password => ⟦hunter2⟧",
    "The password, i.e. ⟦S3cr3t!2024⟧.",
    "The API key's ⟦hunter2⟧.",
    "密码是⟦hunter2⟧。",
    "密码⟦hunter2⟧",
    "密码：⟦hunter2⟧",
    "密码等于 ⟦hunter2⟧",
    "비밀번호는 ⟦hunter2⟧",
    "密码“⟦hunter2⟧”",
    // Numbers.
    "The PIN is ⟦4711⟧.",
    "The PIN is ⟦4711⟧ or 5 chars.",
    "The password is ⟦471100⟧.",
    "The token is ⟦4711004711⟧.",
    // Quoted words.
    'The password is "⟦tournesol⟧".',
    'The secret is "⟦three blind mice⟧".',
    // As an answer.
    "The password? ⟦hunter2⟧",
    "The password? ⟦S3cr3t!2024⟧",
    "The password?  ⟦hunter2⟧",
    "Here is the password.  It is ⟦hunter2⟧",
    "The password? It's ⟦hunter2⟧",
    "The password? That is ⟦hunter2⟧",
    "The password? – ⟦hunter2⟧",
    "Here is the password. It is ⟦hunter2⟧",
    "Here is the password, it’s now ⟦hunter2⟧",
    // Whatever stands between, where hardly anything else looks so.
    "The password that Tom gave me yesterday: ⟦S3cr3t!2024⟧",
    `The password ${far(60)}⟦S3cr3t!2024⟧`,
    `The password ${far(79)}⟦S3cr3t!2024⟧`,
    "The password is ⟦hunter2⟧.)",
    // Beside it.
    "Log in with the password ⟦hunter2⟧.",
    "Log in with the password `⟦correct-horse-battery-staple⟧`.",
    'The password "⟦tournesol⟧" works.',
    'The password "⟦tournesol⟧"  works.',
    'Log in with the password "⟦tournesol⟧" ',
    'Log in with the password "⟦tournesol⟧"',
    'Log in with the password "⟦tournesol⟧" (new).',
    'Log in with the password "⟦tournesol⟧" – or not.',
    'Mit dem Passwort "⟦tournesol⟧" und',
    "The password, ⟦hunter2⟧, opens it.",
    "The PIN ⟦4711⟧ opens it.",
    "The PIN ⟦47110047⟧ opens it.",
    "Log in with the password  ⟦hunter2⟧.",
    "The passcode ⟦4711⟧ opens it.",
    "Take the token `⟦hunter2⟧`.",
    "Take the key as in API key `⟦hunter2⟧`.",
    "Take the token ⟦0d9b296a-f33f-2b85-1fcb-f4df3e9ec897⟧.",
    "The passwords `⟦hunter2⟧` and more.",
  ])("%s", expectMasked);

  test.each([
    // Too far from it, or in another sentence.
    `The password ${far(80)}S3cr3t!2024`,
    "Reset the password. Build S3cr3t!2024 is out.",
    "Is it the password? Build S3cr3t!2024 is out.",
    // Another thing's.
    "The password is in commit S3cr3t!2024.",
    "The token of issue a1b2c3d4e5f6",
    "The password is in commits S3cr3t!2024.",
    "The password changed, commit: S3cr3t!2024.",
    "The password changed, commit = S3cr3t!2024.",
    "The password changed, commit:  S3cr3t!2024.",
    "The password of that pull request S3cr3t!2024.",
    // A number that measures something.
    "The token is 4711.",
    "The token is 471100471.",
    "The password is 1000 characters long.",
    "密码是1000位",
    "The password is 1000-bit.",
    "The PIN is 2500 ms old.",
    "The PIN is 4711 s.",
    "The PIN is 1000% safe.",
    // Plain words, quoted.
    'The secret is "tournesol".',
    'The secret is "two words".',
    'The secret is "two  words".',
    'The password? "tournesol"',
    // Beside it.
    "The passwords S3cr3t!2024x are many, the keys us-east-1x too.",
    "Log in with the password correct-horse-battery-staple.",
    "Take the token us-east-1x.",
    "Take the secret `us-east-1x`.",
    "Take the token `correct-horse-battery-staple`.",
    "The token 4711 opens it.",
    "The PIN 471100471 opens it.",
    'The token "three blind mice" works.',
    'The password "tournesol" field is empty.',
    'The password "tournesol" forms are empty.',
    'Mit dem Passwort "tournesol" under',
    "The password, hunter2 opens it.",
    "The password needs hunter2, they say.",
    "Log in with the password   hunter2.",
    "Take the passwords hunter2.",
    "Take the tokens `us-east-1x`.",
    'The passcodes "4711" open it.',
  ])("stays: %s", expectMasked);
});

describe("a secret before its word", () => {
  test.each([
    "⟦hunter2⟧ is the password.",
    "⟦hunter2⟧ is the password",
    '"⟦hunter2⟧" is the password of ann.',
    "⟦hunter2⟧ is still the old root password for it.",
    "⟦hunter2⟧, that's the password.",
    "Use ⟦hunter2⟧ as the password.",
    "⟦4711⟧ is the PIN.",
    "⟦S3cr3t!2024⟧密码",
    "⟦hunter2-token⟧ is the password.",
    "⟦S3cr3t!2024⟧ opens it: a password",
    `⟦S3cr3t!2024⟧ ${far(59)}password`,
  ])("%s", expectMasked);

  test.each([
    `S3cr3t!2024 ${far(60)}password`,
    "S3cr3t!2024 is out. The password is reset.",
    "S3cr3t!2024 opens the passwords",
    "Commit S3cr3t!2024 changes the password",
    "4711 is the password.",
    "hunter2 needs the password.",
    "hunter2 is the password field.",
    "hunter2 is the password resetter",
  ])("stays: %s", expectMasked);

  test("what names another thing does so right before it", () => {
    expectMasked("The role, or however you would call it, ⟦S3cr3t!2024⟧ opens a password");
  });
});

test("two words, and a secret for each of them", () => {
  expectMasked("The password is ⟦hunter2⟧ and the PIN is ⟦4711⟧.");
  expectMasked("The password ⟦hunter2⟧, the PIN ⟦4711⟧, the password ⟦hunter3⟧.");
  expectMasked("⟦hunter2⟧ is the password, ⟦4711⟧ is the PIN.");
  expectMasked("The user is ann, the password ⟦hunter2⟧, the token us-east-1x.");
});
