// Removes secrets from texts. Pure; every pattern takes linear time.
import { containsUrlWithSecret, MASK, maskAssigned, maskEach } from "./assigned-secrets.ts";
import { isPlaceholder } from "./secret-likeness.ts";
import { maskProse } from "./secret-prose.ts";

// Patterns of keys and tokens, by the services that issue them. Pure.

export const ISSUED_TOKENS: readonly RegExp[] = [
  // OpenAI, Anthropic and others; Stripe and similar services use an underscore.
  /\b(?:sk|pk|rk)-[\w-]{16,}/g,
  /\b(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9+/]{16,}/g,
  // GitHub, GitLab.
  /\b(?:gh[a-z]_|github_pat_)\w{20,}/g,
  /\bgl(?:pat|dt|rt|ft|soat|cbt|ptt|agent|imt|oas|ffct)-[\w.-]{16,}/g,
  // Slack, Google, AWS (temporary keys too), JSON web tokens.
  /\bx(?:ox[a-z]|app)-[\w-]{10,}|\bhooks\.slack\.com\/(?:services|workflows)\/[\w/]{20,}/g,
  /\b(?:AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})/g,
  /\b(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // npm, Hugging Face, Groq, Replicate, xAI, Vercel, Linear, Notion, DigitalOcean, Shopify, Grafana.
  /\b(?:npm|hf|gsk|r8|xai|vercel|vc[a-z]|lin_api|ntn|do[opr]_v1|shp(?:at|ca|pa|ss)|gl(?:c|sa)|rubygems|pul)_[A-Za-z0-9+/=_]*[A-Za-z0-9]{16,}[\w+/=]*/g,
  /\bsecret_[A-Za-z0-9]{40,}/g,
  // Docker, Figma, Perplexity, Postman, New Relic, PyPI.
  /\b(?:dckr_[a-z]+|fig[a-z])_[\w-]{20,}|\b(?:pplx|PMAK|NRAK|AGE-SECRET-KEY)-[\w-]{20,}|\bpypi-[\w-]{40,}/g,
  // 1Password, HashiCorp Vault (`hvs.`, and the older `s.`), Databricks, SendGrid, older keys of Grafana.
  /\bops_eyJ[\w+/=-]{40,}/g,
  /\bhv[sbr]\.[\w-]{24,}|\b[sbr]\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}\b/g,
  /\bdapi[a-f0-9]{32}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\beyJrIjoi[\w+/=-]{20,}/g,
  // Telegram, Discord (bots and webhooks), Twilio, Mailgun, Mailchimp.
  /\b(?:bot)?\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/g,
  /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])|\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,25}\/[\w-]{20,}/g,
  /\bSK[0-9a-f]{32}\b|\b(?:key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|[0-9a-f]{32}-us\d{1,2})\b/g,
  // Tailscale, Sentry, Atlassian, Bitbucket, Doppler, Supabase, PlanetScale, Netlify, Square, Facebook, Airtable.
  /\btskey-[a-z]+-[\w-]{16,}|\bsntry[su]_[\w+/=-]{30,}|\bAT(?:ATT3x|BB)[\w+/=-]{20,}|\bdp\.(?:pt|st|ct|sa)\.\w{30,}/g,
  /\b(?:sbp|nfp|rnd|pscale_[a-z]+|bkua|CCIPAT)_[\w.-]{20,}|\bsq0[a-z]{3}-[\w-]{20,}|\bEAA[A-Z][A-Za-z0-9]{30,}|\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}/g,
  // Resend.
  /\bre_(?=\w*\d)[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}/g,
  // Azure's storage account keys; a package's digest, which is just as long, is excluded.
  /(?<![\w+/]|\bsha512-)[A-Za-z0-9+/]{86}==/g,
];

export const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

// Finds secrets in commands, each by the flag of its program. Pure.

/** Matches one command's words, on one line, between a program's name and its flag. */
const COMMAND_WORDS_PATTERN = "(?:[^\\S\\n][^\\n|;&]{0,200}?)??[^\\S\\n]";
const QUOTE_PATTERN = "[\"']?";
const VALUE_PATTERN = "([^\\s\"'`]{3,})";

/** Lists programs, each with a flag up to its value, including a space that may or must precede the value. */
const SECRET_FLAGS: readonly (readonly [program: string, flag: string])[] = [
  ["(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)", "-p"],
  ["(?:7z|7za|7zr)[^\\S\\n]+[a-z]", "-p"],
  ["sshpass", "-p[^\\S\\n]*"],
  ["(?:docker|podman|az|oc|helm)[^\\S\\n](?:[a-z]+[^\\S\\n])?login", "-p[^\\S\\n]+"],
  ["(?:mongo|mongosh|mongodump|mongorestore|sqlcmd)", "-[pP][^\\S\\n]+"],
  ["(?:redis-cli|rclone)", "(?:-a|--pass)[^\\S\\n]+"],
  ["(?:zip|unzip|sqlcmd)", "-P[^\\S\\n]*"],
  ["(?:ldapsearch|ldapadd|ldapmodify|ldapwhoami)", "-w[^\\S\\n]+"],
  ["(?:keytool|jarsigner)", "-(?:storepass|keypass|srcstorepass|deststorepass)[^\\S\\n]+"],
  ["openssl", "-(?:pass|passin|passout)[^\\S\\n]+pass:"],
  ["wget", "--(?:http-|ftp-|proxy-)?password[= ]"],
];

const COMMAND_PATTERNS: readonly RegExp[] = [
  ...SECRET_FLAGS.map(
    ([program, flag]) =>
      new RegExp(
        `(\\b${program}${COMMAND_WORDS_PATTERN}${flag}${QUOTE_PATTERN})(?!\\[secret)${VALUE_PATTERN}`,
        "g",
      ),
  ),
  /(\bhtpasswd[^\S\n]+-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[^\S\n]+\S{1,80}[^\S\n]+\S{1,80}[^\S\n]+["']?)([^\s"'`]{3,})/g,
  /(\bnet[^\S\n]+use[^\S\n]+\S{1,8}[^\S\n]+\\\\\S{1,80}[^\S\n]+)(?![/-])([^\s"'`]{3,})/g,
  /(\s-U[^\S\n]?["']?[\w.\\-]{1,60}%)([^\s"'`]{3,})/g,
  // A value that is piped into a program that asks for a password.
  /(\becho[^\S\n]+(?:-n[^\S\n]+)?["']?)([^\s"'|`]{3,})(?=["']?[^\S\n]*\|[^\S\n]*(?:sudo[^\S\n]+-S|[^\n|]{1,120}--password-stdin|passwd|su\b))/g,
  /(\becho[^\S\n]+["']?[\w.-]{1,60}:)([^\s"'|`]{3,})(?=["']?[^\S\n]*\|[^\S\n]*(?:sudo[^\S\n]+)?chpasswd)/g,
  // A password in an SQL statement.
  /(\b(?:identified[^\S\n]{1,3}(?:with[^\S\n]{1,3}\w{1,40}[^\S\n]{1,3})?by|password)[^\S\n]{1,3}["'])([^"'\n]{3,80})(?=["'])/gi,
];

/** Limits how many flags of one command may each hold a secret. */
const MAX_FLAGS = 4;

export function maskCommands(text: string): string {
  let clean = text;
  for (let pass = 0; pass < MAX_FLAGS; pass += 1) {
    const next = maskEach(clean, COMMAND_PATTERNS);
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

export { MASK };

/** Removes from the text what looks like a secret, and keeps the name before it. */
export function maskSecrets(text: string): string {
  const unlocked = text.replace(PRIVATE_KEY, MASK);
  const unset = maskCommands(maskAssigned(unlocked));
  const unissued = ISSUED_TOKENS.reduce(
    (current, token) => current.replace(token, (found) => (isPlaceholder(found) ? found : MASK)),
    unset,
  );
  return maskProse(unissued);
}

/** Says whether a text holds what looks like a secret; an address without a secret does not count. */
export function containsSecret(text: string): boolean {
  const countMasks = (one: string) => one.split(MASK).length;
  return containsUrlWithSecret(text) || countMasks(maskSecrets(text)) > countMasks(text);
}
