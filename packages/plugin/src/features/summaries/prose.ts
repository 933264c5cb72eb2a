// Extracts the sentences that a prompt's writer has written: no code, no quotation, nothing pasted. Pure.
import { ownLines } from "./pasted-texts.ts";
import { retractsAll } from "./retracted.ts";

/** Prompts typed by hand are shorter; longer ones are taken for pasted. */
const MAX_CHARS = 1_200;
const MAX_LINES = 12;

/** Holds a sentence with its neighbours, which may reverse its meaning. */
export interface Sentence {
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns the writer's own sentences that no later one of the prompt takes back. */
export function splitSentences(prompt: string): readonly Sentence[] {
  const all = ownParagraphs(prompt).flatMap((lines) => splitUp(lines.join(" ")));
  const sentences = all.map((text, at) => ({
    text,
    before: all[at - 1] ?? null,
    after: all[at + 1] ?? null,
  }));
  const from = all.findLastIndex(retractsAll) + 1;
  return sentences.slice(from).filter((_, at) => !opensQuotation(all.slice(0, from + at)));
}

/** Returns true if the prompt begins by taking back what the previous one says. */
export function retractsFormer(prompt: string): boolean {
  const [first = ""] = splitUp(prompt.trim());
  return retractsAll(first);
}

function ownParagraphs(prompt: string): readonly (readonly string[])[] {
  const text = prompt.replace(/^(?:\s*\n)+/, "").trimEnd();
  if (text.length > MAX_CHARS || text.split("\n").length > MAX_LINES) return [];
  return ownLines(text)
    .join("\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split("\n"))
    .filter((lines) => !lines.some(isMarkup));
}

/** Matches lines of Markdown, code, a table or a log: a paragraph with one such line was pasted, or quotes. */
function isMarkup(line: string): boolean {
  return /^(?:\s{4,}|\t)|^\s*(?:[>#|$%+*•-]|\d+[.)]\s|@@|\/\/|\[)|[{};]\s*$|={3,}|-{3,}/.test(line);
}

function splitUp(paragraph: string): readonly string[] {
  return paragraph
    .split(/(?<=[.!?…]["'“”‘’»)]*)\s+|(?<=[。！？]["'”’)」』]*)\s*/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Returns true if a quotation that these sentences began is still open after them. */
function opensQuotation(sentences: readonly string[]): boolean {
  const marks = sentences.join(" ").match(/["“”„«»「」『』]/g) ?? [];
  return marks.length % 2 === 1;
}
