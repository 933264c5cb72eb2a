// Finds a secret in the sentence after its word's: "We changed the password. Now it's …". Pure.

const NEW_ONE =
  "(?:new|current|replacement|updated|latest)(?: (?:one|value|password|passphrase|token|key|secret|code))?";
const NOW = "(?:now|since then|from (?:now|today) on|today|currently)";
const LEADS = [
  `(?:${NOW},? )?(?:it|that|this)(?:['’]s| is| was| has been)(?: ${NOW})?(?: (?:set|changed|reset|switched) to)?`,
  `(?:${NOW},? )?(?:the |its |our )?${NEW_ONE}(?: is| was)?(?: ${NOW})?`,
  "(?:please )?use",
  "(?:i|we|they|he|she)(?: have|['’]ve)? (?:set|changed|reset|switched|updated) (?:it|that|this) to",
  "(?:(?:jetzt|nun|ab jetzt|seitdem|ab sofort) )?(?:ist|lautet|heißt) (?:es|sie|er|das neue|der neue)(?: (?:jetzt|nun))?",
  "(?:es|das|er|sie|dieses) (?:ist|lautet|heißt)(?: (?:jetzt|nun|ab jetzt|ab sofort|seitdem))?",
  "(?:(?:das|der|die) )?neue[rs]?(?: \\p{L}+)?(?: (?:ist|lautet|heißt))?(?: (?:jetzt|nun))?",
  "(?:(?:maintenant|désormais|à présent|dorénavant),? )?(?:c['’]est|il est|elle est|ce sera)(?: (?:maintenant|désormais|à présent))?",
  "(?:(?:le|la) )?nouve(?:au|lle)(?: \\p{L}+(?: de passe)?)?(?: est)?(?: (?:maintenant|désormais))?",
  "(?:(?:ahora|desde ahora|desde hoy) )?(?:es|será|ahora es)(?: ahora)?",
  "(?:(?:la|el) )?nuev[ao](?: \\p{L}+)?(?: es)?(?: ahora)?",
  "(?:agora|ora|adesso) (?:é|è)|(?:(?:a|o|la|il) )?(?:nov[ao]|nuov[ao])(?: \\p{L}+)? (?:é|è)",
  "nu is het|het is nu|(?:het|de) nieuwe(?: \\p{L}+)? is|teraz to|nowe to|(?:теперь|сейчас)(?: это| он)?|новый",
].join("|");

const NEXT = new RegExp(`^[^.!?\\n]{0,100}[.!]["'”)]?\\s+(?:${LEADS})\\s?[:–—-]?\\s*$`, "iu");

/** Checks the text between a secret's word and a possible secret. */
export function leadsToNext(gap: string): boolean {
  return NEXT.test(gap);
}
