import { expect, test } from "bun:test";
import { maskSecrets } from "../../src/log/secrets.ts";
import { processorMs } from "../processor-time.ts";

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

/** Each run takes a fifth of it: what is not linear shows there as well, but for what grows late. */
const CHARS = process.env.LONG === "1" ? 1_000_000 : 200_000;
const LIMIT_MS = CHARS / 100;

/** Of so many runs the fastest counts: garbage collection and compilation take time, whenever they come. */
const MAX_RUNS = 5;

test("a hostile text takes less than ten seconds per megabyte, in linear time", async () => {
  for (const seed of HOSTILE) {
    const quarter = seed.repeat(Math.ceil(CHARS / 4 / seed.length));
    const whole = await measureMasking(quarter.repeat(4));
    // Short times say nothing.
    if (whole < LIMIT_MS / 10) continue;
    // After the whole: a quarter that comes first takes longer for code that is not compiled yet.
    const least = { whole, part: await measureMasking(quarter) };
    for (let run = 1; run < MAX_RUNS && !isFast(least); run += 1) {
      least.whole = Math.min(least.whole, await measureMasking(quarter.repeat(4)));
      least.part = Math.min(least.part, await measureMasking(quarter));
    }
    expect({ seed, ...least }).toSatisfy(isFast);
  }
}, 300_000);

/** Quadratic time would be sixteen times as much for the whole as for a quarter. */
function isFast({ part, whole }: { readonly part: number; readonly whole: number }): boolean {
  return whole < LIMIT_MS && whole < part * 10;
}

function measureMasking(text: string): Promise<number> {
  return processorMs(() => maskSecrets(text));
}
