import { generateKeyPairSync } from "node:crypto";

/** Digits and letters that no service has issued, made here so that no scanner takes the file for a leak. */
export function characters(alphabet: string, length: number): string {
  let state = length * 7 + alphabet.length;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)];
  }).join("");
}

const UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const LOWER = "abcdefghijkmnopqrstuvwxyz";
const DIGITS = "23456789";
export const mixed = (length: number) => characters(UPPER + LOWER + DIGITS, length);
const capitals = (length: number) => `${characters(UPPER + DIGITS, length - 1)}7`;
const hex = (length: number) => characters("0123456789abcdef", length);
const digits = (length: number) => characters(DIGITS, length);
const join = (...parts: readonly string[]) => parts.join("");

/** A secret by its issuer's form, and the rule of secretlint's preset that knows it; null: none does. */
export interface ShapedSecret {
  readonly name: string;
  readonly rule: string | null;
  readonly secret: string;
}

const jwt = join("eyJ", mixed(20), ".eyJ", mixed(30), ".", mixed(43));
const pem = (kind: string) =>
  join(
    "-----BEGIN ",
    kind,
    "PRIVATE KEY-----\n",
    `${mixed(64)}\n`.repeat(6),
    "-----END ",
    kind,
    "PRIVATE KEY-----",
  );

/** A real one, of this run alone: the rule reads what stands in it. */
function fresh(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString().trimEnd();
}

/** It holds a value whose last brace ends a group of base64. */
function onePassword(): string {
  const token = (fill: number) => ({
    email: "a@example.org",
    muk: {},
    secretKey: mixed(fill),
    srpX: hex(64),
    signInAddress: "example.1password.com",
    userAuth: {},
  });
  const encoded = [90, 91, 92].map((fill) => btoa(JSON.stringify(token(fill))));
  return join("ops_", encoded.find((text) => text.endsWith("fQ==")) ?? "");
}

export const SHAPED: readonly ShapedSecret[] = [
  { name: "AWS key", rule: "aws", secret: join("AKIA", capitals(16)) },
  { name: "AWS temporary key", rule: "aws", secret: join("ASIA", capitals(16)) },
  { name: "private key", rule: "privatekey", secret: fresh() },
  { name: "RSA key", rule: null, secret: pem("RSA ") },
  { name: "OpenSSH key", rule: null, secret: pem("OPENSSH ") },
  { name: "npm token", rule: "npm", secret: join("npm_", mixed(36)) },
  {
    name: "Slack bot token",
    rule: "slack",
    secret: join("xoxb-", digits(12), "-", digits(13), "-", mixed(24)),
  },
  {
    name: "Slack app token",
    rule: "slack",
    secret: join("xapp-1-A", capitals(10), "-", digits(13), "-", hex(64)),
  },
  { name: "SendGrid key", rule: "sendgrid", secret: join("SG.", mixed(22), ".", mixed(43)) },
  { name: "Shopify token", rule: "shopify", secret: join("shpat_", hex(32)) },
  { name: "GitHub token", rule: "github", secret: join("ghp_", mixed(36)) },
  {
    name: "GitHub fine-grained token",
    rule: "github",
    secret: join("github_pat_", mixed(22), "_", mixed(59)),
  },
  { name: "GitLab token", rule: "gitlab", secret: join("glpat-", mixed(20)) },
  { name: "Grafana token", rule: "grafana", secret: join("glsa_", mixed(32), "_", hex(8)) },
  {
    name: "OpenAI key",
    rule: "openai",
    secret: join("sk-proj-", mixed(74), "T3Blbk", "FJ", mixed(74)),
  },
  { name: "Anthropic key", rule: "anthropic", secret: join("sk-ant-api03-", mixed(93), "AA") },
  { name: "Groq key", rule: "groq", secret: join("gsk_", mixed(52)) },
  {
    name: "Hugging Face token",
    rule: "huggingface",
    secret: join("hf_", characters(UPPER + LOWER, 34)),
  },
  { name: "Linear key", rule: "linear", secret: join("lin_api_", mixed(40)) },
  { name: "Notion token", rule: "notion", secret: join("ntn_", digits(11), mixed(35)) },
  { name: "1Password token", rule: "1password", secret: onePassword() },
  { name: "Vault token", rule: "hashicorp-vault", secret: join("hvs.", mixed(95)) },
  { name: "Vercel token", rule: "vercel", secret: join("vcp_", mixed(56)) },
  { name: "Databricks token", rule: "databricks", secret: join("dapi", hex(32)) },
  { name: "Docker token", rule: "docker", secret: join("dckr_pat_", mixed(27)) },
  { name: "Figma token", rule: "figma", secret: join("figd_", mixed(40)) },
  { name: "Google key", rule: null, secret: join("AIza", mixed(35)) },
  { name: "JSON web token", rule: null, secret: jwt },
  { name: "Stripe key", rule: null, secret: join("sk_live_", mixed(24)) },
  { name: "PyPI token", rule: null, secret: join("pypi-AgEI", mixed(60)) },
  { name: "Perplexity key", rule: null, secret: join("pplx-", mixed(48)) },
];

/** Secrets by what names them; `§` is the secret. */
export const NAMED: readonly string[] = [
  "Authorization: Basic §",
  "authorization: Bearer §",
  '{"headers":{"Authorization":"Bearer §"}}',
  "Proxy-Authorization: Digest §",
  "curl -H 'Authorization: §' x",
  "Cookie: session=§; theme=dark",
  '"x-api-key": "§"',
  "pwd=§",
  "Server=db;Uid=me;Pwd=§;",
  "AccountKey=§;EndpointSuffix=x",
  "PASSWORD=§",
  "AWS_SECRET_ACCESS_KEY=§",
  'aws_session_token = "§"',
  "export MY_SERVICE_KEY='§'",
  'apiKey: "§"',
  '{"clientSecret":"§","a":1}',
  String.raw`{\"apiKey\":\"§\"}`,
  '"password": "one § word"',
  "//registry.example.org/:_authToken=§",
  "--api-key § --verbose",
  "mysql --password=§ -h db",
  "curl -u me:§ https://example.org",
  "machine example.org login me password §",
  "https://me:§@example.org/path",
  "https://me:p@§@example.org/path",
  "postgres://me:§@db:5432/main",
  "GET https://example.org/hook?token=§&x=1",
  "https://example.org/cb#access_token=§",
  "passphrase => §",
];

/** What a log or a report is read for: it stays as it is. */
export const INNOCENT: readonly string[] = [
  "core/date is unavailable",
  "basic instructions, bearer of news, tokens: 12, path /a/b-c",
  "plugin-fails: TypeError: undefined is not a function (opencode 1.18.33)",
  "at renderStatus (/srv/app/packages/plugin/src/status/render.ts:14:3)",
  "ses_7f3a2b1c9d8e4f5a6b7c8d9e0f msg_01 prt_9f8e7d6c5b4a39281706",
  "digest 00112233445566ff, xxHash64 of 118,784 bytes, schema 4",
  "inputTokens: 120000, max_tokens=4096, cacheReadTokens=99",
  "anthropic/claude-sonnet-4-5-20250929, global-instructions-file-of-the-team",
  "PWD=/home/me/work OLDPWD=/srv",
  "npm_config_legacy_peer_deps, npm_package_json, hf_hub_download",
  "token: null, secret: undefined, password: false",
  "https://example.org/docs/guide.html failed with 404",
  "The key core/instructions changed; key: team/weather",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "2026-11-23T01:28:34.000Z 550e8400-e29b-41d4-a716-446655440000",
];
