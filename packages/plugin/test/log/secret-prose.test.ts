import { describe, expect, test } from "bun:test";
import { containsSecret, maskSecrets } from "../../src/log/secrets.ts";
import { parseSentence } from "./forms.ts";
import { FIFTH_HELD_OUT_HARMLESS, FIFTH_HELD_OUT_SECRETS } from "./sentences/fifth-held-out.ts";
import { FOURTH_HELD_OUT_HARMLESS } from "./sentences/fourth-held-out.ts";
import { HELD_OUT_HARMLESS, HELD_OUT_SECRETS } from "./sentences/held-out.ts";
import { SECOND_HELD_OUT_HARMLESS, SECOND_HELD_OUT_SECRETS } from "./sentences/second-held-out.ts";
import { SECOND_TUNED_ON_HARMLESS, SECOND_TUNED_ON_SECRETS } from "./sentences/second-tuned-on.ts";
import { THIRD_HELD_OUT_HARMLESS, THIRD_HELD_OUT_SECRETS } from "./sentences/third-held-out.ts";
import { TUNED_ON_HARMLESS, TUNED_ON_SECRETS } from "./sentences/tuned-on.ts";

const MAX_FLAGGED = 0.02;

/** Of a secret no longer part may stay than its first two thirds, nor the whole elsewhere. */
function isCaught(written: string): boolean {
  const { text, secrets } = parseSentence(written);
  const clean = maskSecrets(text);
  const leaks = (secret: string) =>
    clean.includes(secret.slice(0, Math.max(4, Math.ceil((secret.length * 2) / 3))));
  return containsSecret(text) && !secrets.some(leaks);
}

function isFlagged(written: string): boolean {
  const { text } = parseSentence(written);
  return containsSecret(text) || maskSecrets(text) !== text;
}

/** A user's name goes with the password after it, an address's user as well, a full stop with a token that may have one. */
const MORE_GOES: readonly string[] = [
  "Admin login: root/⟦t00r!box⟧ (password never changed)",
  "The FTP credentials are web:⟦ftp!Pass12⟧.",
  "The connection string is postgres://svc:⟦n1ghtOwl⟧@db.internal:5432/app.",
  "Connection string: mongodb+srv://app:⟦Tr3eH0use⟧@cluster0.example.net",
  "Basic auth for the preview is preview:⟦Peek4Boo⟧, password protected since May.",
  "GitLab's runner token is ⟦glrt-t1_Abcdefgh12345678⟧.",
];

const SETS = [
  { name: "tuned on", least: 0.98, secrets: TUNED_ON_SECRETS, harmless: TUNED_ON_HARMLESS },
  { name: "held out", least: 0.98, secrets: HELD_OUT_SECRETS, harmless: HELD_OUT_HARMLESS },
  {
    name: "second, tuned on",
    least: 0.95,
    secrets: SECOND_TUNED_ON_SECRETS,
    harmless: SECOND_TUNED_ON_HARMLESS,
  },
  {
    name: "second, held out",
    least: 0.95,
    secrets: SECOND_HELD_OUT_SECRETS,
    harmless: SECOND_HELD_OUT_HARMLESS,
  },
  {
    name: "third, held out",
    least: 0.95,
    secrets: THIRD_HELD_OUT_SECRETS,
    harmless: THIRD_HELD_OUT_HARMLESS,
  },
  { name: "fourth, held out", least: 1, secrets: [], harmless: FOURTH_HELD_OUT_HARMLESS },
  {
    name: "fifth, held out",
    least: 0.95,
    secrets: FIFTH_HELD_OUT_SECRETS,
    harmless: FIFTH_HELD_OUT_HARMLESS,
  },
];

describe("secrets in sentences", () => {
  for (const { name, least, secrets, harmless } of SETS) {
    test(`${name}: at least ${least * 100} % are caught, and at most 2 % of the harmless flagged`, () => {
      const missed = secrets.filter((written) => !isCaught(written));
      const flagged = harmless.filter(isFlagged);
      console.log(
        `${name}: ${secrets.length - missed.length} of ${secrets.length} secrets caught, ${flagged.length} of ${harmless.length} harmless sentences flagged`,
      );
      for (const one of [...missed, ...flagged]) console.log(`  ${one}`);
      expect(missed.length).toBeLessThanOrEqual(secrets.length * (1 - least));
      expect(flagged.length).toBeLessThanOrEqual(harmless.length * MAX_FLAGGED);
    });
  }

  test("tuned on: what is marked goes and all else stays, but for what stands here", () => {
    const exact = (written: string) =>
      maskSecrets(parseSentence(written).text) === written.replace(/⟦[^⟧]*⟧/g, "[secret]");
    const others = [...TUNED_ON_SECRETS, ...TUNED_ON_HARMLESS].filter((one) => !exact(one));
    expect(others).toEqual([...MORE_GOES]);
  });

  test("the sentences are at least 1,000, and each is there once", () => {
    const all = SETS.flatMap(({ secrets, harmless }) => [...secrets, ...harmless]);
    expect(all.length).toBeGreaterThanOrEqual(1_000);
    expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([]);
    const marked = SETS.flatMap(({ secrets }) => secrets);
    expect(marked.filter((written) => parseSentence(written).secrets.length === 0)).toEqual([]);
  });

  test("what stands around a secret stays, and cleaning twice changes nothing more", () => {
    expect(maskSecrets("The API password is hunter2horse99, the user is `ops`.")).toBe(
      "The API password is [secret], the user is `ops`.",
    );
    expect(maskSecrets('Passphrase: "three blind mice sing" (backup)')).toBe(
      'Passphrase: "[secret]" (backup)',
    );
    expect(maskSecrets("mysql -u root -pX7pancake app")).toBe("mysql -u root -p[secret] app");
    for (const { secrets, harmless } of SETS) {
      for (const written of [...secrets, ...harmless]) {
        const once = maskSecrets(parseSentence(written).text);
        expect(maskSecrets(once)).toBe(once);
      }
    }
  });

  test("a secret is found on its own line of a longer text", () => {
    const lines = ["Notes of today", "the admin password is S3cr3t!2024", "build a1b2c3d4e5f6 ok"];
    expect(maskSecrets(lines.join("\n"))).toBe(
      "Notes of today\nthe admin password is [secret]\nbuild a1b2c3d4e5f6 ok",
    );
  });
});
