import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dir, "../../..");

/** A turn of phrase that we don't use, and what to write in its place. */
export interface BannedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const BANNED: readonly BannedWord[] = [
  // The first four hold for comments, too.
  {
    pattern: /(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|larger|less)\b)[a-z]+/i,
    instead: "is not a …",
  },
  { pattern: /\banew\b/i, instead: "again, or the verb with re-" },
  { pattern: /\bbehind\b/i, instead: "after" },
  { pattern: /\b(?:told|tells?|telling)\b/i, instead: "announced, sent, recorded, says, reports" },
  { pattern: /\bif it stays\b(?! locked)/i, instead: "if the problem persists" },
  { pattern: /\bdo its part\b/i, instead: "failed in …" },
  { pattern: /\bput (?:it |them |this )?right\b/i, instead: "fix" },
  { pattern: /\b(?:can|could)(?:'t| not|not)? be had\b|\bhad again\b/i, instead: "available" },
  { pattern: /\bsays something else\b/i, instead: "changed" },
  { pattern: /\bnobody is here\b/i, instead: "no terminal" },
  { pattern: /\bwhat stands\b|\bstands? in the (?:way|place|wrong)\b/i, instead: "what is" },
  { pattern: /\bof (?:its|their) like\b|\bthe like of\b/i, instead: "such" },
  { pattern: /\bfor ever\b/i, instead: "permanently" },
  { pattern: /\bcause of it\b|\bthereof\b|\bwhereof\b|\btherein\b/i, instead: "its …" },
  {
    pattern: /(?:^|[.:;!?] )Of (?:a|an|the|each|all|several|two|three|these|those|what)\b/,
    instead: "the usual order: the subject first",
  },
  {
    pattern: /(?:^|[.:;!?] )Over (?:a|an|the|your|its)\b[^.,]* (?:is|are|they)\b/,
    instead: "the usual order: the subject first",
  },
  {
    pattern: /(?:^|[.:;!?] )(?:Kept|Shown|Taken|Left|Named|Written|Given|Removed) (?:is|are)\b/,
    instead: "the usual order: … is kept",
  },
  // One word for one thing: the glossary in CONTRIBUTING.md.
  { pattern: /\bnoted (?:as|of|already)\b|\bknown already\b/i, instead: "stored" },
  { pattern: /\bas it was said\b/i, instead: "verbatim" },
  { pattern: /\b(?:is|was) at it\b/i, instead: "is running it" },
  { pattern: /\bfrom now on\b/i, instead: "from the next … on" },
  {
    pattern: /\bmissed first\b|\bnothing waits here\b/i,
    instead: "offline since, nothing to send",
  },
  { pattern: /; alone: /, instead: "(default: …)" },
  { pattern: /\bso it stands for\b/i, instead: "was merged into" },
  { pattern: /\b(?:stands back|goes on where)\b/i, instead: "stays inactive, resumes what" },
];

/** A text in which a banned turn may stand, and why. */
export interface AllowedWord {
  readonly text: RegExp;
  readonly because: string;
}

/** What a text says that we don't say, a line for each; `where` begins each line. */
export function faultsIn(text: string, where: string, allowed: readonly AllowedWord[]): string[] {
  const kept = allowed.reduce((rest, { text: one }) => rest.replaceAll(one, "…"), text);
  return BANNED.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(kept)?.[0];
    return found === undefined
      ? []
      : [`${where}: "${found.trim()}": write "${instead}": ${excerpt(kept, found)}`];
  });
}

function excerpt(text: string, found: string): string {
  const at = text.indexOf(found);
  return `… ${text.slice(Math.max(0, at - 40), at + found.length + 40).replaceAll("\n", " ")} …`;
}

/** The paragraphs of a page without its code blocks, code spans and quoted samples. */
export function parseParagraphs(markdown: string): readonly string[] {
  return (
    markdown
      .replaceAll(/```[\s\S]*?```/g, "")
      .replaceAll(/`[^`\n]*`/g, "…")
      // The title of a link quotes what it leads to.
      .replaceAll(/(\]\([^ )]+) "[^"\n]*"\)/g, "$1)")
      .split("\n")
      .filter((line) => line.trim() !== "")
  );
}

/** Comments, strings and regular expressions. */
const NOT_CODE =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*(?=[\s.,;)\]])/g;

/** The texts for people among a source file's strings: those with a space between words. */
export function parseStrings(source: string): readonly string[] {
  const strings: string[] = [];
  for (const [text] of source.matchAll(NOT_CODE)) {
    if (/^["'`]/.test(text) && /[a-z]\S* .*[a-z]/is.test(text)) strings.push(text.slice(1, -1));
  }
  return strings;
}

/** The turns that comments fell into most; the rest of the list is for texts that users read. */
const BANNED_IN_COMMENTS = BANNED.slice(0, 4);

/** The lines of a source file that are comments, by a comment's own signs. */
function listComments(source: string): readonly string[] {
  return source.split("\n").filter((line) => /^\s*(?:\/\*\*?|\*|\/\/)/.test(line));
}

/** What comments say that we don't say; names in backquotes are left alone. */
export function faultsInComments(source: string, where: string): string[] {
  return listComments(source).flatMap((line) => {
    const plain = line.replaceAll(/`[^`]*`/g, "…");
    return BANNED_IN_COMMENTS.flatMap(({ pattern, instead }) =>
      pattern.test(plain) ? [`${where}: "${line.trim()}": write "${instead}"`] : [],
    );
  });
}

/** Forms that no identifier has. */
const BANNED_IDENTIFIERS = {
  "a function named …Of": /^[a-z]\w*Of$/,
  "MOST_ or LEAST_": /^(?:MOST|LEAST)_/,
  "told, behind or anew":
    /^(?:told|behind|anew)$|^(?:told|behind|anew)[A-Z]|[a-z](?:Told|Behind|Anew)(?![a-z])/,
  "room, house, desk, door or shelf":
    /^(?:rooms?|house|desks?|doors?|shel(?:f|ves))(?![a-z])|(?:Rooms?|House|Desks?|Doors?|Shel(?:f|ves))(?![a-z])/,
} as const satisfies Readonly<Record<string, RegExp>>;

export type BannedForm = keyof typeof BANNED_IDENTIFIERS;

/** A file's identifiers of a banned form, each as often as it stands there; strings, patterns and comments have none. */
export function listBannedIdentifiers(source: string, form: BannedForm): readonly string[] {
  const code = source.replaceAll(NOT_CODE, " ");
  const words = form === "a function named …Of" ? DECLARED_FUNCTION : /()(?<![.\w])([A-Za-z_]\w*)/g;
  return [...code.matchAll(words)]
    .map(([, , name = ""]) => name)
    .filter((name) => BANNED_IDENTIFIERS[form].test(name));
}

const DECLARED_FUNCTION = /(\bfunction |\bconst (?=\w+ = (?:async )?\())(\w+)/g;

/** Every source file below a folder of the repository, by its path. */
export function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
