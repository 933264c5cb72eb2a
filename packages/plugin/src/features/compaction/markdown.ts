// Parses a Markdown file into headings, items and lines of text: markdown-it's blocks, without code and comments.
import createParser, { type MarkdownIt, type Token } from "markdown-it";

/** Describes one line as its author wrote it. */
export interface MarkdownLine {
  /** The level of a heading, 1 to 6; otherwise 0. */
  readonly level: number;
  readonly isItem: boolean;
  /** The columns by which the line is indented. */
  readonly indent: number;
  /** The state of an item's box; null if it has none. */
  readonly box: "open" | "done" | null;
  /** The text without emphasis marks and without anything that is struck through. */
  readonly text: string;
  /** True if anything, even an empty line, lies between this line and the previous one. */
  readonly afterGap: boolean;
}

/** The longest line that is read, in UTF-16 units. */
const MAX_LINE_UNITS = 2000;

/** The most lines that are read of one file. */
const MAX_LINES = 20_000;

/** Parses blocks only: the text within a line stays as its author wrote it. */
function createBlockParser(...disabled: readonly string[]): MarkdownIt {
  const parser = createParser("commonmark", { html: false });
  parser.core.ruler.enableOnly(["normalize", "block"]);
  // People who indent bullets by four columns still mean bullets.
  return parser.disable(["code", "reference", "html_block", ...disabled]);
}

const parser = createBlockParser();
const fencelessParser = createBlockParser("fence");

export function parseMarkdownLines(text: string): readonly MarkdownLine[] {
  const rows = stripComments(text)
    .replaceAll("\t", "    ")
    .split(/\r\n?|\n/, MAX_LINES)
    .map((row) => row.slice(0, MAX_LINE_UNITS));
  return parseLines(rows, parser);
}

/**
 * Removes comments by searching for their marks instead of using a regular expression: a file of nothing but
 * opening marks must not take quadratic time.
 */
function stripComments(text: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start === -1 ? -1 : text.indexOf("-->", start + 4);
    if (end === -1) return kept + text.slice(from);
    kept += text.slice(from, start);
    from = end + 3;
  }
}

function parseLines(rows: readonly string[], blocks: MarkdownIt): readonly MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  let level = 0;
  let bulleted = false;
  let seenRows = 0;
  for (const token of blocks.parse(rows.join("\n"), {})) {
    const [from, to] = token.map ?? [0, 0];
    switch (token.type) {
      case "heading_open":
        level = Number(token.tag.slice(1));
        break;
      case "heading_close":
        level = 0;
        break;
      case "list_item_open":
        bulleted = true;
        break;
      case "fence":
        // A code block that never ends is read as text: otherwise it would hide the rest of the file.
        if (!isClosed(token, rows))
          lines.push(...parseLines(rows.slice(from + 1, to), fencelessParser));
        break;
      case "inline":
        for (const [index, text] of token.content.split("\n").entries()) {
          const indent = rows[from + index]?.search(/\S/) ?? 0;
          const afterGap = index === 0 && from > seenRows;
          lines.push({ ...parseItem(text.trim(), bulleted), level, indent, afterGap });
          bulleted = false;
        }
        seenRows = to;
        break;
    }
  }
  return lines;
}

function isClosed({ markup, map }: Token, rows: readonly string[]): boolean {
  const [, to] = map ?? [0, 0];
  const last = (rows[to - 1] ?? "").replace(/^[\s>]+/, "").trimEnd();
  return last.startsWith(markup) && last === last.charAt(0).repeat(last.length);
}

/** Matches bullets that Markdown treats as text: a dot, or a number in the middle of a paragraph. */
const BULLET_PATTERN = /^(?:[-*+•]|\d{1,4}[.)])\s+/;

const CHECKBOX_PATTERN = /^\[([ xX~/\->✓✔])\]\s+/;

function parseItem(
  written: string,
  bulleted: boolean,
): Pick<MarkdownLine, "isItem" | "box" | "text"> {
  const text = written.replace(BULLET_PATTERN, "");
  const mark = CHECKBOX_PATTERN.exec(text)?.[1];
  const isItem = bulleted || text !== written || mark !== undefined;
  const box = mark === undefined ? null : /[xX✓✔]/.test(mark) ? "done" : "open";
  return { isItem, box, text: toPlainText(text.replace(CHECKBOX_PATTERN, "")) };
}

function toPlainText(text: string): string {
  return text
    .replace(/~~[^~]*~~/g, "")
    .replace(/\*\*|__/g, "")
    .replace(/(?<![\w*])\*(?=\S)([^*]*)(?<=\S)\*(?![\w*])/g, "$1")
    .trim();
}

/** Parses `Name: value`, with any emphasis; returns null if the text has no leading name. */
export function parseLabel(text: string): { readonly name: string; readonly value: string } | null {
  const found = /^([^:`]{1,60}?)\s*:(?:\s+(.*))?$/.exec(text);
  return found ? { name: found[1] ?? "", value: found[2]?.trim() ?? "" } : null;
}
