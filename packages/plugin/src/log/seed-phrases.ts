// Finds wallets' seed phrases: twelve or more plain words after a word for one. Pure.
import { SECRET } from "./assigned-secrets.ts";

const NAME =
  "\\b(?:seed|recovery|backup|secret|mnemonic)[ -]?(?:phrase|words)|\\bmnemonics?\\b|\\bmnemonik\\b|\\b(?:12|15|18|21|24|twelve|twenty-four) (?:seed )?words\\b|\\b(?:12|24) (?:wörter|mots|palabras|palavras|parole|woorden)\\b|wiederherstellungsphrase|phrase de récupération|frase (?:semilla|de recuperación|de recuperação|di recupero)";

/** Lists words of sentences, none of which is part of such a phrase. */
const WORD =
  "(?!(?:the|and|are|was|were|has|had|have|for|with|from|into|its|not|but|your|our|their|which|when|who|per|must|should|can't)\\b)[a-z]{3,8}";

const PHRASE = new RegExp(
  `((?:${NAME})[^\\n]{0,60}?(?<![a-z]))(${WORD}(?:[ ,]{1,2}${WORD}){11,23})(?![a-z])`,
  "giu",
);

export function withoutSeedPhrases(line: string): string {
  return line.replace(PHRASE, `$1${SECRET}`);
}
