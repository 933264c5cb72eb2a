import { describe, expect, test } from "bun:test";
import { ISSUED_TOKENS, PRIVATE_KEY } from "../../src/log/secrets.ts";

const MIXED = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU";
const UPPER = "AB3DE5FG7HJ9KL2MN4PQ6RS8TU";
const HEX = "0a1b2c3d4e5f6789";
const DIGITS = "2345678902";

/** So many characters of the given ones, in turn. */
const some = (characters: string, count: number) =>
  characters.repeat(Math.ceil(count / characters.length)).slice(0, count);

function masked(text: string): string {
  return ISSUED_TOKENS.reduce((current, token) => current.replace(token, "[secret]"), text);
}

/** What a form begins with, and the characters that follow at least, or exactly, so many times. */
type Form = readonly [begins: string, characters: string, least: number];

const FORMS: readonly Form[] = [
  ...["sk-", "pk-", "rk-"].map((begins): Form => [begins, `${MIXED}_-`, 16]),
  ...["sk_", "pk_", "rk_", "whsec_", "sk_live_", "rk_test_"].map(
    (begins): Form => [begins, `${MIXED}+/`, 16],
  ),
  ...["ghp_", "gho_", "ghs_", "github_pat_"].map((begins): Form => [begins, `${MIXED}_`, 20]),
  ...["pat", "dt", "rt", "ft", "soat", "cbt", "ptt", "agent", "imt", "oas", "ffct"].map(
    (kind): Form => [`gl${kind}-`, `${MIXED}-.`, 16],
  ),
  ...["xoxb-", "xoxp-", "xapp-"].map((begins): Form => [begins, `${DIGITS}-${MIXED}`, 10]),
  ["hooks.slack.com/services/", `${UPPER}/`, 20],
  ["hooks.slack.com/workflows/", `${UPPER}/`, 20],
  ["AIza", `${MIXED}-_`, 30],
  ["GOCSPX-", `${MIXED}-_`, 20],
  ["ya29.", `${MIXED}-_`, 20],
  ...[
    "AKIA",
    "ASIA",
    "AGPA",
    "AIDA",
    "AROA",
    "AIPA",
    "ANPA",
    "ANVA",
    "ABIA",
    "ACCA",
    "A3TX",
    "A3T7",
  ].map((begins): Form => [begins, UPPER, 16]),
  ...[
    "npm",
    "hf",
    "gsk",
    "r8",
    "xai",
    "vercel",
    "vcp",
    "lin_api",
    "ntn",
    "doo_v1",
    "dop_v1",
    "dor_v1",
  ].map((name): Form => [`${name}_`, MIXED, 16]),
  ...["shpat", "shpca", "shppa", "shpss", "glc", "glsa", "rubygems", "pul"].map(
    (name): Form => [`${name}_`, MIXED, 16],
  ),
  ["secret_", MIXED, 40],
  ["dckr_pat_", `${MIXED}-_`, 20],
  ["figd_", `${MIXED}-_`, 20],
  ...["pplx", "PMAK", "NRAK", "AGE-SECRET-KEY"].map((name): Form => [`${name}-`, `${MIXED}_-`, 20]),
  ["pypi-", `${MIXED}_-`, 40],
  ["ops_eyJ", `${MIXED}+/=-`, 40],
  ...["hvs.", "hvb.", "hvr."].map((begins): Form => [begins, `${MIXED}_-`, 24]),
  ["SG.aB3dE5fG7hJ9kL2m.", `${MIXED}_-`, 16],
  ["tskey-auth-", `${MIXED}_-`, 16],
  ...["sntrys_", "sntryu_"].map((begins): Form => [begins, `${MIXED}+/=_-`, 30]),
  ...["ATATT3x", "ATBB"].map((begins): Form => [begins, `${MIXED}+/=_-`, 20]),
  ...["pt", "st", "ct", "sa"].map((kind): Form => [`dp.${kind}.`, MIXED, 30]),
  ...["sbp", "nfp", "rnd", "pscale_tkn", "bkua", "CCIPAT"].map(
    (name): Form => [`${name}_`, `${MIXED}.-_`, 20],
  ),
  ["sq0atp-", `${MIXED}_-`, 20],
  ["EAAC", MIXED, 30],
  ["eyJrIjoi", `${MIXED}+/=_-`, 20],
];

describe("keys by the services that issue them", () => {
  test.each(FORMS)("%s", (begins, characters, least) => {
    const shortest = begins + some(characters, least);
    expect(masked(`Take ${shortest} with you.`)).toBe("Take [secret] with you.");
    expect(masked(`a="${shortest}"`)).toBe('a="[secret]"');
    // Shorter ones are names.
    const short = begins + some(characters, least - 1);
    expect(masked(`Take ${short}, please.`)).toBe(`Take ${short}, please.`);
    // Within a word it begins nothing.
    expect(masked(`Take xx${shortest}, please.`)).not.toStartWith("Take xx[");
  });

  test.each([
    ["a JSON web token", `eyJ${some(MIXED, 8)}.${some(MIXED, 8)}.`],
    ["one with a signature", `eyJ${some(MIXED, 20)}.${some(MIXED, 20)}.${some(MIXED, 20)}-_x`],
    ["an older Vault token", `s.${some(MIXED, 24)}`],
    ["a Databricks token", `dapi${some(HEX, 32)}`],
    ["a Telegram bot", `${some(DIGITS, 8)}:${some(MIXED, 33)}_-`],
    ["the same in its address", `bot${some(DIGITS, 10)}:${some(MIXED, 35)}`],
    ["a Discord bot", `M${some(MIXED, 23)}.${some(MIXED, 6)}.${some(MIXED, 27)}`],
    ["another", `O${some(MIXED, 27)}.a-b_c3.${some(MIXED, 38)}-_`],
    ["a Discord hook", `discord.com/api/webhooks/${some(DIGITS, 10)}/${some(MIXED, 18)}-_`],
    ["of its older address", `discordapp.com/api/webhooks/${some(DIGITS, 25)}/${some(MIXED, 20)}`],
    ["Twilio", `SK${some(HEX, 32)}`],
    ["Mailgun", `key-${some(HEX, 32)}`],
    ["Mailgun's newer form", `${some(HEX, 32)}-${some(HEX, 8)}-${some(HEX, 8)}`],
    ["Mailchimp", `${some(HEX, 32)}-us1`],
    ["Mailchimp in another place", `${some(HEX, 32)}-us21`],
    ["Airtable", `pat${some(MIXED, 14)}.${some(HEX, 64)}`],
    ["Azure's storage", `${some(`${MIXED}+/`, 86)}==`],
  ] as const)("%s", (_, token) => {
    expect(masked(`(${token})`)).toBe("([secret])");
    expect(masked(`Take ${token}\nnow`)).toBe("Take [secret]\nnow");
  });

  test.each([
    // Each is one character or one part away from a form.
    `eyJ${some(MIXED, 7)}.${some(MIXED, 8)}.x`,
    `eyJ${some(MIXED, 8)}.${some(MIXED, 7)}.x`,
    `s.${"abcdefghijklmnopqrstuvwx"}`,
    `s.${some(MIXED, 23)}`,
    `s.${some(MIXED, 25)}`,
    `dapi${some(HEX, 31)}`,
    `${some(DIGITS, 7)}:${some(MIXED, 35)}`,
    `${some(DIGITS, 8)}:${some(MIXED, 34)}`,
    `${some(DIGITS, 8)}:${some(MIXED, 36)}`,
    `M${some(MIXED, 22)}.${some(MIXED, 6)}.${some(MIXED, 27)}`,
    `M${some(MIXED, 23)}.${some(MIXED, 5)}.${some(MIXED, 27)}`,
    `M${some(MIXED, 23)}.${some(MIXED, 6)}.${some(MIXED, 26)}`,
    `M${some(MIXED, 23)}.${some(MIXED, 6)}.${some(MIXED, 41)}`,
    `P${some(MIXED, 23)}.${some(MIXED, 6)}.${some(MIXED, 27)}`,
    `discord.com/api/webhooks/${some(DIGITS, 9)}/${some(MIXED, 20)}`,
    `discord.com/api/webhooks/${some(DIGITS, 10)}/${some(MIXED, 19)}`,
    `discord.com/api/webhooks/channel-12/${some(MIXED, 20)}`,
    `SK${some(HEX, 31)}`,
    `SK${some(HEX, 33)}`,
    `SK${some(UPPER, 32)}`,
    `key-${some(HEX, 31)}`,
    some(HEX, 32),
    `${some(HEX, 32)}-us`,
    `${some(HEX, 32)}-us123`,
    `${some(HEX, 32)}-${some(HEX, 8)}-${some(HEX, 7)}`,
    `${some(HEX, 32)}-${some(HEX, 7)}-${some(HEX, 8)}`,
    `pat${some(MIXED, 13)}.${some(HEX, 64)}`,
    `pat${some(MIXED, 14)}.${some(HEX, 63)}`,
    `${some(MIXED, 85)}==`,
    `${some(MIXED, 86)}=`,
    `SG.${some(MIXED, 15)}.${some(MIXED, 16)}`,
    // Names of things.
    "0d9b296af33f2b851fcbf4df3e9ec89751734ba4",
    "task-list-of-all-the-things-to-do",
    "hooks.slack.com/docs/getting-started-with-hooks",
    "discord.com/channels/1234567890/1234567890123456789012",
    "npm_config_registry",
    "hf_transformers_pipeline_for_texts",
    "secret_name_of_the_service_account_in_the_vault",
    "AKIAlower0123456789abc",
  ])("stays: %s", (text) => {
    expect(masked(`See ${text} there.`)).toBe(`See ${text} there.`);
  });

  test.each(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])("a %sprivate key", (kind) => {
    const key = `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE\nabc\n-----END ${kind}PRIVATE KEY-----`;
    expect(`a\n${key}\nb`.replace(PRIVATE_KEY, "[secret]")).toBe("a\n[secret]\nb");
    // Cut off, all of the rest is its own.
    expect(`a\n${key.slice(0, key.indexOf("\n-----END"))}`.replace(PRIVATE_KEY, "[secret]")).toBe(
      "a\n[secret]",
    );
  });

  test("a key block of PGP, and a public key", () => {
    const block = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----";
    expect(`${block}\nb`.replace(PRIVATE_KEY, "[secret]")).toBe("[secret]\nb");
    const open = "-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----";
    expect(open.replace(PRIVATE_KEY, "[secret]")).toBe(open);
  });
});
