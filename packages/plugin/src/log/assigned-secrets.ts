// Finds secrets by what they are assigned to: headers, settings, flags, variables, addresses. Pure.
import { isPlaceholder } from "./secret-likeness.ts";

/** The text that replaces a secret. */
export const MASK = "[secret]";

/** Matches examples in documents: `user:password@`, or a local database's default. */
const EXAMPLE_USER =
  "[\\w.-]{0,60}:\\$\\{\\w{1,60}\\}@|user(?:name)?:pass(?:word|wd)?@(?!\\S*@)|(?:postgres:postgres|root:root|guest:guest|admin:admin|(?:root|postgres|admin):pass(?:word)?)@(?=(?:localhost|127\\.0\\.0\\.1)(?![\\w.-]))";

/**
 * Matches a URL. Group 1 is the scheme, with the credentials of an example in documentation; group 2 is the host
 * and the path. What lies outside both (user and password, query, fragment) may hold secrets.
 */
const URL_WITH_SECRETS = new RegExp(
  `\\b([a-z][a-z0-9+.-]{1,20}:\\/\\/(?:${EXAMPLE_USER})?)(?:[^\\s/?#"'<>]*:(?!\\d+\\/)[^\\s?#"'<>]*@|[^\\s/?#"'<>]*@)?([^\\s?#"'<>]*)(?:[?#][^\\s"'<>]*)?`,
  "gi",
);

const AUTH_SCHEMES_PATTERN =
  "(?:basic|bearer|digest|token|negotiate|ntlm|apikey|bot|oauth|hawk|aws4-hmac-sha256)\\s{1,3}";

const AUTHORIZATION_PATTERN = new RegExp(
  `(authorization\\\\?["']?\\s{0,3}[:=]\\s{0,3}\\\\?["']?(?:${AUTH_SCHEMES_PATTERN})?)(?!\\[|${AUTH_SCHEMES_PATTERN})([^\\s"'\`,\\\\]+)`,
  "gi",
);

const COOKIE_PATTERN = /(\b(?:set-)?cookie\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)([^\n"']+)/gi;

/** Matches a scheme with its value if no header names it. */
const SCHEME_PATTERN =
  /(\b(?:bearer|Bearer|BEARER|basic|Basic|BASIC)\s{1,3})((?=[A-Za-z+/.~-]*[0-9A-Z=])[\w+/=.~-]{8,})/g;

/**
 * Matches a secret's name at the end of a longer name: `dbPassword`, `AWS_SECRET_ACCESS_KEY`. A `PWD` with a
 * path as its value doesn't count.
 */
const SECRET_NAME_PATTERN = `(?:(?:api|access|secret|private|account|encryption|signing|master|service)[-_ ]?key|secret|token|passw(?:or)?d|pwd(?!["']?\\s{0,3}[:=]\\s{0,3}["']?[/~])|passphrase|credentials?|signature|_auth)(?:[_-](?:base|value|prod|production|staging|dev|test|old|new|primary|secondary|\\d{1,3}))?`;
const ASSIGNMENT_PATTERN = "\\s{0,3}(?:[:=]|=>)\\s{0,3}";

/** Matches a sentence after a colon: "Password: stored in the vault". */
const SENTENCE_PATTERN =
  "(?:(?:stored|kept|managed|rotated|created|issued|required|optional|needed|read|taken|loaded|given|passed|provided|sent|never|always|only|must|should|from|with|held|found|lives?|comes|they|this|that|these|those|there|when|where|which|each|every|what|using|used|same|same-origin|unchanged|unknown|hashed|encrypted|generated|masked|missing|wrong|invalid|expired)\\b(?!\\d))";

const QUOTED_ASSIGNMENT = new RegExp(
  `(${SECRET_NAME_PATTERN}["']?${ASSIGNMENT_PATTERN}(["']))((?:\\\\.|(?!\\2)[^\\\\\\n])+)`,
  "gi",
);
const ESCAPED_ASSIGNMENT = new RegExp(
  `(${SECRET_NAME_PATTERN}\\\\["']${ASSIGNMENT_PATTERN}(\\\\["']))((?:(?!\\2)[^\\n])+)`,
  "gi",
);
/**
 * Matches code that makes or reads a value, or a preceding type: `z.string()`, `bin2hex(raw)`, `Vec<u8>`,
 * `SecretStr =`.
 */
const CODE_PATTERN =
  "(?:await|new)\\s|(?:String|ID|Int|Boolean)!|(?:[A-Za-z_$]{1,40}\\d{0,3}\\.){0,6}[A-Za-z_$]{1,40}[([]|(?:[A-Za-z_$]{1,40}\\d{0,3}\\.){0,6}[A-Za-z_$]{1,20}\\d{1,3}[A-Za-z_$]{1,20}\\(\\S{0,200}\\)(?![^\\s;,)}\\]])|(?:[A-Za-z_]{1,40}::){1,6}[A-Za-z_]|:[A-Z][a-z]|@[A-Z][A-Za-z]{1,40}\\(|[A-Z][A-Za-z]{1,40}<|[A-Z][A-Za-z]{2,40}\\s{1,3}=(?!=)";
/**
 * Matches an unquoted value. In an AWS store, an account's number is followed by a secret's name and not by a
 * value.
 */
const UNQUOTED_ASSIGNMENT = new RegExp(
  `(?<!:\\d{12}:)(${SECRET_NAME_PATTERN}["']?${ASSIGNMENT_PATTERN})(?!(?:true|false|null|none|undefined)\\b|\\[secret|${SENTENCE_PATTERN}|${CODE_PATTERN})([^\\s"'\`,;&}\\]\\\\]{4,})`,
  "gi",
);

/** Matches `--password hunter2`, `curl -u me:hunter2`, and `login me password hunter2` in a .netrc. */
const SECRET_FLAG = new RegExp(
  `(--[\\w-]{0,30}${SECRET_NAME_PATTERN}\\s{1,3})(?!-)([^\\s"'\`]{4,})`,
  "gi",
);
const USER_FLAG = /(\s(?:-u|--user)[ =]["']?[^\s:"']{1,80}:)([^\s"'`]+)/g;
const NETRC_PATTERN = /(\blogin\s{1,3}\S{1,80}\s{1,3}password\s{1,3})(\S+)/gi;

/** Matches environment variables, in capitals: `MY_KEY=…`. */
const VARIABLE_PATTERN =
  /(\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|AUTH|PAT|DSN|PASS|PW|PWD)=["']?)(?!\[secret)([^\s"',;/~][^\s"'`,;]{5,})/g;

/** Matches session cookies by the names that servers give them. */
const SESSION_COOKIE_PATTERN =
  /(\b(?:PHPSESSID|JSESSIONID|ASPSESSIONID\w{0,8}|ASP\.NET_SessionId|connect\.sid|laravel_session|sessionid|_?[a-z]{1,20}_session)=)([^\s"'`;,&]{8,})/g;

/** Matches a line of a .pgpass: host, port, database, user. */
const PGPASS_PATTERN =
  /((?<![\w/.:-])(?:\*|[\w.-]{1,80}):(?:\d{3,5}|\*):(?:\*|[a-z_][\w.-]{0,60}):(?:\*|[a-z_][\w.@-]{0,60}):)(?!\/)([^\s:"'`]{5,})/gi;

/** Matches an entry of Docker's login file. */
const DOCKER_AUTH = /("auth"\s{0,3}:\s{0,3}")((?=[a-z+/]*[A-Z0-9])[A-Za-z0-9+/]{12,}={0,2})(?=")/g;

const TWILIO_TOKEN = /((?:\btwilio\b|\bAC[0-9a-f]{32}\b)[^\n]{0,120}?\b)([0-9a-f]{32})\b/gi;

/** Matches "Wi-Fi: network Attic, key cinnamon4421". */
const WIFI_PASSWORD =
  /(\b(?:wi-?fi|wlan)\b[^\n.;]{0,60}?(?:\bkey|schlüssel|\bclé|\bclave|\bpsk)(?:\s(?:is|ist|est|es))?[\s:=]{1,3}["'`]?)(?!\d+-)((?=[^\s\d]*\d)[^\s"'`,;()<>]{8,63})/giu;

const XML_ELEMENT =
  /(<([\w:.-]{0,30}(?:passw(?:or)?d|passphrase|secret|token|api[-_.]?key|secret[-_.]?key|private[-_.]?key))>\s{0,3})([^<\n]{3,200})(?=<\/\2>)/gi;

/** Lists patterns with two groups: the text to keep, and the value. */
const VALUE_PATTERNS: readonly RegExp[] = [
  AUTHORIZATION_PATTERN,
  COOKIE_PATTERN,
  SCHEME_PATTERN,
  UNQUOTED_ASSIGNMENT,
  SECRET_FLAG,
  USER_FLAG,
  NETRC_PATTERN,
  VARIABLE_PATTERN,
  SESSION_COOKIE_PATTERN,
  PGPASS_PATTERN,
  DOCKER_AUTH,
  TWILIO_TOKEN,
  WIFI_PASSWORD,
];

export function maskAssigned(text: string): string {
  const first = text
    .replace(URL_WITH_SECRETS, "$1$2")
    .replace(QUOTED_ASSIGNMENT, maskQuoted)
    .replace(ESCAPED_ASSIGNMENT, maskQuoted)
    .replace(XML_ELEMENT, maskQuoted);
  return maskEach(first, VALUE_PATTERNS);
}

/** Masks the second group of each pattern and keeps the first. */
export function maskEach(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((current, pattern) => current.replace(pattern, maskValue), text);
}

function maskQuoted(whole: string, kept: string, _quote: string, value: string): string {
  return maskValue(whole, kept, value);
}

function maskValue(whole: string, kept: string, value: string): string {
  return isPlaceholder(value) ? whole : kept + MASK;
}

/** Matches an address with a user's password, or with a parameter that has a secret's name. */
const URL_WITH_SECRET_PATTERN = new RegExp(
  `\\b[a-z][a-z0-9+.-]{1,20}:\\/\\/(?:(?!${EXAMPLE_USER})[^\\s/?#"'<>:]*:(?!\\d+\\/)[^\\s?#"'<>]+@|[^\\s?#"'<>]*[?&#](?:[^\\s"'<>]{0,500}[?&#])?\\w{0,30}${SECRET_NAME_PATTERN}=)`,
  "i",
);

export function containsUrlWithSecret(text: string): boolean {
  return URL_WITH_SECRET_PATTERN.test(text);
}
