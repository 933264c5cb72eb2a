// Long words made short: an old closing answer to its ends and its lists' heads, a paste to its ends.
import { refOf } from "../projection/ref.ts";
import type { WayBack } from "./stub.ts";
import { wholePairs } from "./words.ts";

/** Of each of the two paragraphs that stay. */
const PARAGRAPH_CHARS = 500;
const HEAD_LINES = 12;
const HEAD_LINE_CHARS = 100;

/** The first and last paragraphs, and what headings and lists between them begin with. Never nothing. */
export function shortenedAnswer(text: string, partId: string, wayBack: WayBack): string {
  const paragraphs = text.trim().split(/\n[ \t]*\n/);
  const first = clipped(paragraphs[0] ?? "");
  const last =
    paragraphs.length > 1
      ? clippedEnd(paragraphs.at(-1) ?? "")
      : clippedEnd(text.slice(first.length));
  const heads = paragraphs.slice(1, -1).flatMap(headsIn).slice(0, HEAD_LINES);
  const left = text.length - first.length - last.length;
  const said = `[${left} characters are not shown here${backTo(partId, wayBack)}]`;
  return [first, ...heads, said, last].filter((line) => line !== "").join("\n");
}

const HEAD = /^[ \t]*(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+\S/;

function headsIn(paragraph: string): readonly string[] {
  return paragraph
    .split("\n")
    .filter((line) => HEAD.test(line))
    .map((line) =>
      line.length <= HEAD_LINE_CHARS ? line : `${wholePairs(line.slice(0, HEAD_LINE_CHARS))}…`,
    );
}

function clipped(text: string): string {
  if (text.length <= PARAGRAPH_CHARS) return text;
  const cut = text.slice(0, PARAGRAPH_CHARS);
  const end = cut.lastIndexOf(" ");
  return `${wholePairs(end > PARAGRAPH_CHARS / 2 ? cut.slice(0, end) : cut)}…`;
}

function clippedEnd(text: string): string {
  if (text.length <= PARAGRAPH_CHARS) return text.replace(/^[\uDC00-\uDFFF]/, "");
  const cut = text.slice(-PARAGRAPH_CHARS).replace(/^[\uDC00-\uDFFF]/, "");
  const from = cut.indexOf(" ");
  return `…${from >= 0 && from < PARAGRAPH_CHARS / 2 ? cut.slice(from + 1) : cut}`;
}

export function backTo(partId: string, wayBack: WayBack): string {
  const ref = refOf("r", partId);
  switch (wayBack) {
    case "ctx_expand":
      return `. ctx_expand ${ref} shows them`;
    case "none":
      return ` (${ref})`;
  }
}
