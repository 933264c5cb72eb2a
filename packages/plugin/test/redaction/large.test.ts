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

test("a hostile megabyte takes less than ten seconds, in linear time", () => {
  // Of this process alone: how busy the machine is doesn't count.
  const timeOf = (text: string) => {
    const before = process.cpuUsage();
    withoutSecrets(text);
    return process.cpuUsage(before).user / 1_000;
  };
  for (const seed of HOSTILE) {
    const quarter = seed.repeat(Math.ceil(250_000 / seed.length));
    const [part, whole] = [timeOf(quarter), timeOf(quarter.repeat(4))];
    expect([seed, whole < 10_000]).toEqual([seed, true]);
    // Quadratic time would be sixteen times as much; short times say nothing.
    expect([seed, whole < 1_000 || whole < part * 10]).toEqual([seed, true]);
  }
}, 300_000);
