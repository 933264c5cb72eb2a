// What secrets look like, and texts without them. Pure; every pattern takes linear time.
// Folder: Takes secrets out of what is written to the log, to reports, and to the database.

/** What stands in its place. */
export const SECRET = "[secret]";

/** What keys and tokens begin with, by the services that issue them. */
const TOKENS: readonly RegExp[] = [
  // OpenAI, Anthropic and others; Stripe and its like with an underscore.
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
  // 1Password, HashiCorp Vault (the older form has no typical beginning), Databricks, SendGrid.
  /\bops_eyJ[\w+/=-]{40,}/g,
  /\bhv[sbr]\.[\w-]{24,}|\b[sbr]\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}\b/g,
  /\bdapi[a-f0-9]{32}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\beyJrIjoi[\w+/=-]{20,}/g,
];

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** User and password before the host, and everything after the path: both carry secrets. */
const ADDRESS =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/?#"'<>:]*:(?!\d+\/)[^\s?#"'<>]*@|[^\s/?#"'<>]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/gi;

const SCHEMES =
  "(?:basic|bearer|digest|token|negotiate|ntlm|apikey|bot|oauth|hawk|aws4-hmac-sha256)\\s{1,3}";

const AUTHORIZATION = new RegExp(
  `(authorization\\\\?["']?\\s{0,3}[:=]\\s{0,3}\\\\?["']?(?:${SCHEMES})?)(?!\\[|${SCHEMES})[^\\s"',\\\\]+`,
  "gi",
);

const COOKIE = /(\b(?:set-)?cookie\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\n"']+/gi;

/** A scheme with its value, where no header names it. */
const SCHEME =
  /(\b(?:bearer|Bearer|BEARER|basic|Basic|BASIC)\s{1,3})(?=[A-Za-z+/.~-]*[0-9A-Z=])[\w+/=.~-]{8,}/g;

/** What names a secret, at the end of a name: `dbPassword`, `AWS_SECRET_ACCESS_KEY`. A path is not a PWD. */
const NAME = `(?:(?:api|access|secret|private|account|encryption|signing|master|service)[-_ ]?key|secret|token|passw(?:or)?d|pwd(?!["']?\\s{0,3}[:=]\\s{0,3}["']?[/~])|passphrase|credentials?|signature|_auth)`;
const SETS = "\\s{0,3}(?:[:=]|=>)\\s{0,3}";

const QUOTED = new RegExp(`(${NAME}["']?${SETS})(["'])(?:\\\\.|(?!\\2)[^\\\\\\n])+`, "gi");
const ESCAPED = new RegExp(`(${NAME}\\\\["']${SETS})(\\\\["'])(?:(?!\\2)[^\\n])+`, "gi");
const UNQUOTED = new RegExp(
  `(${NAME}["']?${SETS})(?!(?:true|false|null|none|undefined)\\b|\\[secret)[^\\s"',;&}\\]\\\\]{4,}`,
  "gi",
);

/** `--password hunter2`, `curl -u me:hunter2`, `login me password hunter2` of a .netrc. */
const FLAG = new RegExp(`(--[\\w-]{0,30}${NAME}\\s{1,3})(?!-)[^\\s"']{4,}`, "gi");
const USER = /(\s(?:-u|--user)[ =]["']?)[^\s:"']{1,80}:[^\s"']+/g;
const NETRC = /(\blogin\s{1,3}\S{1,80}\s{1,3}password\s{1,3})\S+/gi;

/** `MY_KEY=…`: environment variables, in capitals. */
const VARIABLE =
  /(\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|AUTH|PAT|DSN|PASS|PW)=["']?)(?!\[secret)[^\s"',;/~][^\s"',;]{5,}/g;

const VALUES: readonly RegExp[] = [
  AUTHORIZATION,
  COOKIE,
  SCHEME,
  UNQUOTED,
  FLAG,
  USER,
  NETRC,
  VARIABLE,
];

/** The text with what looks like a secret taken out; what names it stays. */
export function withoutSecrets(text: string): string {
  const whole = text
    .replace(PRIVATE_KEY, SECRET)
    .replace(ADDRESS, "$1$2")
    .replace(QUOTED, `$1$2${SECRET}`)
    .replace(ESCAPED, `$1$2${SECRET}`);
  const unnamed = VALUES.reduce((current, value) => current.replace(value, `$1${SECRET}`), whole);
  return TOKENS.reduce((current, token) => current.replace(token, SECRET), unnamed);
}

/** An address with a user's password, or with a parameter of a secret's name. */
const SECRET_ADDRESS = new RegExp(
  `\\b[a-z][a-z0-9+.-]{1,20}:\\/\\/(?:[^\\s/?#"'<>:]*:(?!\\d+\\/)[^\\s?#"'<>]+@|[^\\s?#"'<>]*[?&#]\\w{0,30}${NAME}=)`,
  "i",
);

/** Whether a text holds what looks like a secret; an address without one does not. */
export function holdsSecret(text: string): boolean {
  const masks = (one: string) => one.split(SECRET).length;
  return SECRET_ADDRESS.test(text) || masks(withoutSecrets(text)) > masks(text);
}
