import { expect, test } from "bun:test";
import { withoutSecrets } from "../../src/redaction/secrets.ts";

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

/** Each run takes a fifth of it: what is not linear shows there as well, but for what grows late. */
const CHARS = process.env.LONG === "1" ? 1_000_000 : 200_000;
const LIMIT_MS = CHARS / 100;

test("a hostile text takes less than ten seconds per megabyte, in linear time", () => {
  // Of this process alone: how busy the machine is doesn't count.
  const timeOf = (text: string) => {
    const before = process.cpuUsage();
    withoutSecrets(text);
    return process.cpuUsage(before).user / 1_000;
  };
  for (const seed of HOSTILE) {
    const quarter = seed.repeat(Math.ceil(CHARS / 4 / seed.length));
    const [part, whole] = [timeOf(quarter), timeOf(quarter.repeat(4))];
    expect([seed, whole < LIMIT_MS]).toEqual([seed, true]);
    // Quadratic time would be sixteen times as much; short times say nothing.
    expect([seed, whole < LIMIT_MS / 10 || whole < part * 10]).toEqual([seed, true]);
  }
}, 300_000);
