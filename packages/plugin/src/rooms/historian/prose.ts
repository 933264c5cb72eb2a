// What of a prompt its writer has said himself, sentence by sentence: no code, no quotation, nothing pasted. Pure.

/** Who writes to a coding agent by hand writes less. Longer prompts are taken for pasted ones. */
const MOST_CHARS = 1_200;
const MOST_LINES = 12;

/** A sentence between those around it, which may turn it round. */
export interface Sentence {
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
}

export function sentencesOf(prompt: string): readonly Sentence[] {
  const all = ownParagraphs(prompt).flatMap((lines) => splitUp(lines.join(" ")));
  return all.map((text, at) => ({
    text,
    before: all[at - 1] ?? null,
    after: all[at + 1] ?? null,
  }));
}

/** From the first fence or tag on nobody knows where the user's own words begin again. */
const FENCE_OR_TAG = /^\s*(?:```|~~~)|<[/!?]?[a-z][^<>]*>/im;

function ownParagraphs(prompt: string): readonly (readonly string[])[] {
  const text = prompt.replace(/^(?:\s*\n)+/, "").trimEnd();
  if (text.length > MOST_CHARS || text.split("\n").length > MOST_LINES) return [];
  const [own = ""] = text.split(FENCE_OR_TAG);
  const isCut = own.length < text.length;
  const paragraphs = own.split(/\n\s*\n/).map((paragraph) => paragraph.split("\n"));
  // What stands right before a fence leads in to what is in it.
  return (isCut ? paragraphs.slice(0, -1) : paragraphs).filter((lines) => !lines.some(isMarkup));
}

/** Of Markdown, of code, of a table, of a log: a paragraph with one such line was pasted, or quotes. */
function isMarkup(line: string): boolean {
  return /^(?:\s{4,}|\t)|^\s*(?:[>#|$%+*•-]|\d+[.)]\s|@@|\/\/|\[)|[{};]\s*$|={3,}|-{3,}/.test(line);
}

function splitUp(paragraph: string): readonly string[] {
  return paragraph
    .split(/(?<=[.!?…。！？]["'”’)]*)\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
