// Recognises placeholders for secrets: a variable, a reference, a word to be replaced. Pure.

/** Matches a reference in full, or as far as a pattern has read: `${NAME` without its brace. */
const REFERENCE =
  /^(?:<|\$\{|\$\(|\{\{|%\(|#\{|__[A-Z0-9_]+__$|@{1,2}[A-Za-z_]+@{1,2}$|!(?:vault|Ref|Sub|GetAtt|ImportValue|secret|env|env_var|reference)$|\[(?:your|the|my|insert|enter)$|op:\/\/|vault:[a-z][\w/-]*(?:#\w+)?$|%[A-Z][A-Z0-9_]*%?$|\$[A-Z_][A-Z0-9_]*$|\$[a-z_]*(?:pass|token|secret|key)[a-z_]*$|(?:process|import\.meta|Bun|Deno)\.env\b|os\.(?:environ|getenv)|env[.([]|ENV\[|getenv|secrets\.[A-Za-z]|(?:this|self|req|request|res|response|ctx|config|options|opts|settings|props|args|params|input|body|user|data|state)\.[A-Za-z_#])/;

/** Matches a key's prefix with nothing after it, or an issuer's published example. */
const EXAMPLE =
  /^[A-Za-z0-9_-]{0,24}(?:[-_.](?:\.{2,}|…+|[xX]{4,}|\*{3,})|[xX]{12,})$|^sk[-_](?:\.+|…)$|EXAMPLE(?:KEY)?$|(?:^|[-_])your[-_][a-z]/;

const FILLER = /^(?:[x*•.…_#-]{3,}|X+)$/;

const WORDS = [
  String.raw`(?:your|insert|enter)[-_][\w-]*|(?:my|the|some|a)[-_](?:api[-_]?)?(?:key|token|password|secret)`,
  "change[-_]?(?:me|it|this)|change[-_](?:me|it|this)(?:[-_][a-z]+)+",
  "replace[-_]?me|fill[-_]?me[-_]?in|fixme|todo|tbd|example|sample|placeholder|redacted|masked|hidden|dummy",
  "none|null|nil|undefined|true|false|empty|string|number|boolean|include|same-origin|omit|required|optional",
  "(?:pass(?:word|phrase)|secret|token|api[-_]?key|key|credentials?|value|name)",
].join("|");

const WORD = new RegExp(`^(?:${WORDS})$`, "i");

export function isPlaceholder(value: string): boolean {
  const bare = value.replace(/^[([]+|[.,;:)\]]+$/g, "");
  return (
    bare === "" ||
    REFERENCE.test(value) ||
    FILLER.test(bare) ||
    EXAMPLE.test(value) ||
    EXAMPLE.test(bare) ||
    WORD.test(bare)
  );
}
