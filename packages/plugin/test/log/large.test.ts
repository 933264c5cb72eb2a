import { expect, test } from "bun:test";
import { maskSecrets } from "../../src/log/secrets.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../processor-time.ts";

/** Nearly what the patterns look for, again and again. */
const HOSTILE = [
  ..."a1\"'`„«「‘([*:=-.,/\\$< ",
  // By their form, and by what names them.
  "a",
  "sk-",
  "password=",
  "https://",
  "eyJ",
  "eyJaaaaaaaa.",
  "--token ",
  "-----BEGIN PRIVATE KEY-----",
  '"secret":"',
  "authorization: ",
  " -u a",
  "login ",
  "A_KEY",
  "npm_",
  "a@",
  "\\",
  " ",
  // In sentences.
  "password ",
  "password is ",
  "password for a ",
  "password (",
  "password: ",
  "the password 'is ",
  "a1B2c3d4 ",
  "a1B2c3d4 is the ",
  "hunter2 as a a a a ",
  "パスワードは",
  "密码",
  "4929 ",
  "seed phrase ",
  "seed phrase abandon ",
  "password changed. It is ",
  "<password>",
  "a:5432:a:a:",
  "twilio ",
  "wifi key ",
  "aB.",
  "user:pass@",
  "postgres://user:pass@",
  "type a1B2c3d4 when ",
  "mysql -u a ",
  "echo a|",
  "htpasswd -b a ",
  "docker login ",
  "identified by '",
  "mot de ",
  "api key ",
  "1234567890:",
  "M".repeat(24),
  "0123456789abcdef",
];

/** An ordinary run takes a twentieth of it: what is not linear shows there as well, but for what grows late. */
const CHARS = process.env.LONG === "1" ? 1_000_000 : 50_000;

test("a hostile text is masked in linear time", async () => {
  for (const seed of HOSTILE) {
    const quarter = seed.repeat(Math.ceil(CHARS / 4 / seed.length));
    const whole = quarter.repeat(4);
    const times = await timesAsLong(
      () => maskSecrets(whole),
      () => maskSecrets(quarter),
    );
    expect({ seed, times }).toSatisfy((measured) => measured.times < MOST_FOR_FOURFOLD);
  }
}, 600_000);
