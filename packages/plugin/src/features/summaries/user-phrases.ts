// Tests whether a user has stated a fact in their own words. Pure. A doubtful case counts as not stated: a person can
// confirm it.
import { retractsEarlier, retractsPreviousPrompt, type Sentence, splitSentences } from "./prose.ts";

/**
 * Returns true if one of the prompts states the fact in a sentence of its own, word for word, and the next prompt
 * doesn't begin by taking it back.
 * @param prompts in their order
 */
export function isStated(fact: string, prompts: readonly string[]): boolean {
  const wanted = dropArticles(parseWords(fact) ?? []);
  if (wanted.length < MIN_FACT_WORDS) return false;
  const forms = listPhraseVariants(wanted);
  return prompts.some(
    (prompt, at) =>
      !retractsPreviousPrompt(prompts[at + 1] ?? "") &&
      splitSentences(prompt).some(
        (sentence) => standsAlone(sentence) && statesAny(sentence.text, forms),
      ),
  );
}

const MIN_FACT_WORDS = 2;

/** Matches sentences that introduce another sentence, or put it in doubt. */
const LEAD_IN_PATTERN =
  /[:：?？]["'”’)]*$|\b(?:says?|said|saying|claims?|states?|reads?|wrote|writes?|told|according|quote[sd]?|following|below|next|example|e\.g|wrong|false|ignore|forget|never mind|summari[sz]e|translate|rephrase|remove|delete|drop|imagine|suppose|assume|pretend|maybe|perhaps|if|when|unless|until|whether|not true|readme|docs?|comment|sentence|line|text|rule|issue|ticket|e-?mail|mail|message|template|review(?:er)?|paste[ds]?|pasting|copied)\b/i;
const FOREIGN_LEAD_IN_PATTERN = new RegExp(
  `(?<!\\p{L})(?:${[
    "sagt[e]?|sagen|schreibt|schrieb|steht|laut|behauptet|zitat|zitiere|folgende\\p{L}*|unten|beispiel|falsch|ignoriere|vergiss|übersetze|fasse|umformuliere|entferne|lösche|stell dir vor|angenommen|vielleicht|wenn|falls|ob|bis|satz|zeile|text|regel|kommentar|nachricht|vorlage|eingefügt|kopiert",
    "dit|disait|disent|écrit|écrivait|selon|d['’]après|prétend|suivante?s?|ci-dessous|exemple|faux|ignore|oublie|traduis|résume|reformule|supprime|enlève|imagine|suppose|peut-être|si|quand|jusqu|phrase|ligne|texte|règle|commentaire|message|courriel|modèle|collé|copié",
    "dice|dijo|dicen|escribió|escribe|según|afirma|cita|siguientes?|abajo|ejemplo|falso|ignora|olvida|traduce|resume|elimina|borra|quita|imagina|supón|quizás?|tal vez|si|cuando|hasta|frase|línea|texto|regla|comentario|mensaje|correo|plantilla|pegado|copiado",
    "ha detto|scrive|secondo|seguente|esempio|traduci|riassumi|forse|quando|frase|riga|testo|regola|commento|messaggio|disse|escreveu|segundo|seguinte|exemplo|traduz\\p{L}*|talvez|linha|regra|mensagem",
    "zegt|zei|schrijft|schreef|volgens|volgende|voorbeeld|vertaal|misschien|zin|regel|bericht|mówi|napisał\\p{L}*|według|poniższ\\p{L}+|przykład|przetłumacz|może|zdanie|linia|říká|napsal\\p{L}*|podle|příklad|přelož|možná|věta",
    "говорит|сказал\\p{L}*|пишет|написал\\p{L}*|согласно|пример|переведи|возможно|может быть|если|когда|строк\\p{L}+|предложени\\p{L}+|säger|sade|skrev|enligt|exempel|kanske|siger|sier|ifølge|måske|kanskje|diyor|yazdı|göre|örnek|belki",
  ].join(
    "|",
  )})(?!\\p{L})|说|写道|根据|例如|翻译|也许|如果|言って|書い|によると|例えば|翻訳|多分|もし|말했|썼|따르면|예를|번역|아마|만약`,
  "iu",
);

/** Questions, quotations and sentences that a neighbour takes back don't count as stated. */
function standsAlone({ text, before, after }: Sentence): boolean {
  if (/[?？]/.test(text) || /["“”„«»]|(?<!\p{L})['‘’]|['‘’](?!\p{L})/u.test(text)) return false;
  if (/(?:\.\.\.|…)$/.test(text)) return false;
  if (
    before !== null &&
    [LEAD_IN_PATTERN, FOREIGN_LEAD_IN_PATTERN].some((some) => some.test(before))
  )
    return false;
  return after === null || !retractsEarlier(after);
}

/** Words that change nothing at the beginning or end of a sentence. */
const POLITE_OPENERS = parsePhrases(
  "please,ok,okay,also,and,hi,hello,hey,fyi,btw,by the way,for your information",
);
const POLITE_CLOSERS = parsePhrases("please,btw,thanks,ok,okay,thank you,by the way");
/** Words that also mark a rule as holding beyond the current work. */
const STANDING_OPENERS = parsePhrases(
  "remember,note,rule,important,remember that,note that,keep in mind,keep in mind that",
  "in general,from now on,in this project,in this repo,in this repository,in this codebase,for this project,for this repo",
  "make sure to,be sure to,do not forget to,do not forget,as a rule",
);
const STANDING_CLOSERS = parsePhrases(
  "here,in this project,in this repo,in this repository,in this codebase,for this project",
  "for this repo,from now on,at all times",
);
const OPENERS = [...POLITE_OPENERS, ...STANDING_OPENERS].map(dropArticles);
const CLOSERS = [...POLITE_CLOSERS, ...STANDING_CLOSERS].map(dropArticles);
/**
 * Verbs that ask for something once: "Skip the tests." is about the current work. Verbs with which people state
 * conventions (use, prefer, avoid, keep, name) are not among them.
 */
const ONE_OFF_VERBS = new Set(
  [
    "add,apply,build,bump,change,check,clean,close,commit,convert,copy,create,debug,delete,deploy",
    "disable,downgrade,drop,edit,enable,explain,extract,find,finish,fix,force,generate,get,give",
    "go,ignore,implement,improve,install,leave,let,list,look,make,merge,migrate,move,open,paste",
    "print,publish,pull,push,put,read,rebase,refactor,release,remove,rename,repeat,replace,reset",
    "restart,restore,retry,revert,review,rewrite,run,save,search,send,set,show,skip,split,start,stop",
    "switch,take,tell,test,try,turn,undo,update,upgrade,upload,wait,write",
  ].flatMap((some) => some.split(",")),
);
const STANDING_WORD_PATTERN = /^(?:always|never|every|each|whenever|all|any)$/;

/** Subjects that add nothing: a rule without a subject also addresses those who work on the project. */
const SUBJECT_PHRASES = parsePhrases("we,this project,the project,this repo,the repo,the team").map(
  dropArticles,
);
/** A reason follows these words; the part before them is stated. */
const REASON_WORDS = new Set(["because", "so"]);
const DOUBT_PATTERN =
  /\b(?:not?|never|none|wrong|false|lie|jok\w*|kidding|true|ignore|forget|if|unless|until|except|but|however|maybe|perhaps|said|says?|claims?|readme|docs?)\b|n't/i;

function statesAny(sentence: string, forms: ReadonlySet<string>): boolean {
  return splitStatement(sentence).some((statement) => {
    const words = parseWords(statement);
    if (words === null || isOneOffOrder(words)) return false;
    const bare = trimPhrase(dropArticles(words), OPENERS, CLOSERS);
    const always = bare[0] === "always" ? bare.slice(1) : bare;
    return [bare, always].some((one) =>
      [...listPhraseVariants(one)].some((form) => forms.has(form)),
    );
  });
}

/** Returns the sentence, and its part before a reason. */
function splitStatement(sentence: string): readonly string[] {
  const before = [...sentence.matchAll(/[,;]?\s+([a-z]+)\b/gi)].flatMap(({ index, 1: word }) => {
    const isReason = REASON_WORDS.has((word ?? "").toLowerCase());
    return isReason && !DOUBT_PATTERN.test(sentence.slice(index)) ? [sentence.slice(0, index)] : [];
  });
  return [sentence, ...before];
}

/**
 * Returns true for an order without a word that makes it a rule. "The build" is a subject, so articles count here.
 */
function isOneOffOrder(words: readonly string[]): boolean {
  const bare = trimPhrase(words, POLITE_OPENERS, POLITE_CLOSERS);
  const [verb = "", ...rest] = bare;
  const isStanding =
    rest.some((word) => STANDING_WORD_PATTERN.test(word)) ||
    STANDING_OPENERS.some((phrase) => beginsWith(bare, phrase)) ||
    STANDING_CLOSERS.some((phrase) => endsWith(rest, phrase));
  return ONE_OFF_VERBS.has(verb) && !isStanding;
}

function trimPhrase(
  words: readonly string[],
  openers: readonly Phrase[],
  closers: readonly Phrase[],
): readonly string[] {
  const opener = openers.find((phrase) => beginsWith(words, phrase));
  if (opener && opener.length < words.length) {
    return trimPhrase(words.slice(opener.length), openers, closers);
  }
  const closer = closers.find((phrase) => endsWith(words, phrase));
  if (closer && closer.length < words.length) {
    return trimPhrase(words.slice(0, -closer.length), openers, closers);
  }
  return words;
}

function beginsWith(words: readonly string[], phrase: Phrase): boolean {
  return phrase.every((word, at) => words[at] === word);
}

function endsWith(words: readonly string[], phrase: Phrase): boolean {
  return phrase.every((word, at) => words[words.length - phrase.length + at] === word);
}

/** Returns the same statement with its subject and without. */
function listPhraseVariants(words: readonly string[]): ReadonlySet<string> {
  const subject = SUBJECT_PHRASES.find((phrase) => beginsWith(words, phrase));
  const [verb = "", ...rest] = subject ? words.slice(subject.length) : [];
  const without = verb === "" ? [] : [[verb.replace(/(?<=[^s])s$/, ""), ...rest].join(" ")];
  return new Set([words.join(" "), ...without]);
}

type Phrase = readonly string[];

function parsePhrases(...lists: readonly string[]): readonly Phrase[] {
  return lists.flatMap((list) => list.split(",").map((phrase) => phrase.split(" ")));
}

/** Removes articles. */
function dropArticles(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/^(?:an?|the)$/.test(word));
}

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bcan[’']t\b|\bcannot\b/gi, "can not"],
  [/\bwon[’']t\b/gi, "will not"],
  [/(?<=\p{L})n[’']t\b/giu, " not"],
];

/**
 * Returns the words in order, in lower case, without the marks around them; null if the text quotes code of several
 * words.
 */
function parseWords(text: string): readonly string[] | null {
  if (/`[^`]*\s[^`]*`/.test(text) || text.split("`").length % 2 === 0) return null;
  const whole = CONTRACTIONS.reduce((said, [short, long]) => said.replace(short, long), text);
  return whole
    .normalize("NFKC")
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}$@#_/.~-]+|[^\p{L}\p{N}_/]+$/gu, ""))
    .filter((word) => word !== "-" && word !== "");
}
