// Picks words out of texts: sentences, lines that decide, lines that stand out.
import { toSingleLine } from "../context/neutralize.ts";
import { likenesses } from "./likeness.ts";

/** Returns the text on one line, inert and bounded; a cut is marked. */
export function clip(text: string, mostChars: number): string {
  const flat = toSingleLine(text.slice(0, 4 * mostChars)).replace(/\s+/g, " ");
  if (flat.length <= mostChars && text.length <= 4 * mostChars) return flat;
  const cut = flat.slice(0, mostChars - 1);
  const space = cut.lastIndexOf(" ");
  const end = space > mostChars / 2 ? space : cut.length;
  return `${wholePairs(cut.slice(0, end))}…`;
}

/** Drops half of a surrogate pair at a cut, since it would not be text any more. */
export function wholePairs(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** Limits how much of a text is read from each of its ends. */
const SEARCHED_CHARS = 4_000;

export function firstSentence(text: string): string {
  return sentences(text.slice(0, SEARCHED_CHARS))[0] ?? "";
}

export function lastSentence(text: string): string {
  return sentences(text.slice(-SEARCHED_CHARS)).at(-1) ?? "";
}

function sentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?:。！？])\s+|\n+/u)
    .map((sentence) => sentence.replace(/^[\s#>*+-]+/, "").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const DECIDES =
  /\b(?:decid\w+|because|instead of|rather than|must(?: not)?|never|always|agreed|turns? out|the (?:cause|reason|problem|fix) (?:is|was)|root cause|from now on|remember|prefer\w*|chose\w*|settled on|will use|should use|use \S+ (?:for|as|not))\b/i;

/** Finds sentences that settle something. */
export function decisions(text: string): readonly string[] {
  return sentences(text.slice(0, 4 * SEARCHED_CHARS)).filter(decides);
}

function decides(sentence: string): boolean {
  return DECIDES.test(sentence);
}

/** The sentences of a text that an extract may use. */
export interface SentenceSet {
  readonly decided: readonly string[];
  readonly first: string;
  readonly last: string;
}

export function extractGist(text: string): SentenceSet {
  if (text.length > SEARCHED_CHARS) {
    return { decided: decisions(text), first: firstSentence(text), last: lastSentence(text) };
  }
  // Splits the text once for all three.
  const all = sentences(text);
  return { decided: all.filter(decides), first: all[0] ?? "", last: all.at(-1) ?? "" };
}

const FAILS =
  /\b(?:error|errors|fail(?:ed|ure|ures|s)?|exception|panic|fatal|cannot|can't|undefined reference|traceback|denied|not found|timed? ?out)\b|✗|✘|[A-Z]{2}\d{3}/i;

export function errorLines(lines: readonly string[], most: number): readonly string[] {
  const found = new Set<string>();
  for (const line of lines) {
    if (found.size >= most) break;
    if (FAILS.test(line)) found.add(line);
  }
  return [...found];
}

/** A longer line is data. */
const MAX_LINE_CHARS = 240;
/** Half of these lines come from each end of a text. */
const MAX_LINES = 240;

/**
 * Picks the lines that are least like the others, as these are informative in repetitive output. The rarest
 * shapes and words win.
 */
export function strikingLines(lines: readonly string[], most: number): readonly string[] {
  // Most results are short and are shown whole.
  if (lines.length <= most) return lines;
  const scored = likenesses(lines).map(({ alike, ownWords }, index) => {
    const line = lines[index] ?? "";
    return { line, index, score: (1 / alike) * (1 + Math.min(ownWords, 6)) + scoreLine(line) };
  });
  const best = scored.sort((one, other) => other.score - one.score || one.index - other.index);
  return best
    .slice(0, most)
    .sort((one, other) => one.index - other.index)
    .map(({ line }) => line);
}

const NAMED = /[\p{L}\p{N}_)\]"'][ \t]*(?:=>|[:=])[ \t]*\S/u;
const FIGURE = /\b\d[\d.,:-]{2,}\b/;

/** Prefers a name with a value, which is more informative than a sentence of its length. */
function scoreLine(line: string): number {
  return (/[:=]/.test(line) && NAMED.test(line)) || FIGURE.test(line) ? 1 : 0;
}

/** Lists the lines of a text that may be informative; of a long text not all. */
export function candidateLines(text: string): readonly string[] {
  return lineEnds(text)
    .map((line) => line.trim())
    .filter((line) => line.length <= MAX_LINE_CHARS && /[\p{L}\p{N}]{2}/u.test(line));
}

/** Reads line by line: splitting all of it would take as long as all work on the lines. */
function lineEnds(text: string): readonly string[] {
  const first: string[] = [];
  let from = 0;
  while (first.length < MAX_LINES) {
    const end = text.indexOf("\n", from);
    if (end < 0) return [...first, text.slice(from)];
    first.push(text.slice(from, end));
    from = end + 1;
  }
  const half = MAX_LINES / 2;
  const last: string[] = [];
  for (let to = text.length; last.length < half; ) {
    const before = text.lastIndexOf("\n", to - 1);
    last.push(text.slice(before + 1, to));
    to = before;
  }
  return [...first.slice(0, half), ...last.reverse()];
}

export function distinctValues(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
