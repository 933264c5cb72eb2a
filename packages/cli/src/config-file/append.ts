// Appends a member to an object or array without reformatting.
import { createScanner, type Node } from "jsonc-parser";
import type { Document } from "./document.ts";
import type { TextEdit } from "./text-edit.ts";

/**
 * Appends a member, given as its text, to an object or array. Unlike jsonc-parser's own `modify` it
 * reformats nothing, and a comment stays with the member that it follows.
 */
export function append(document: Document, container: Node, member: string): TextEdit {
  const last = container.children?.at(-1);
  return last === undefined
    ? intoEmpty(document, container, member)
    : insertAfter(document, container, last, member);
}

function insertAfter(document: Document, container: Node, last: Node, member: string): TextEdit {
  const { text, eol } = document;
  const end = last.offset + last.length;
  const close = container.offset + container.length - 1;
  const rest = restOfMember(text, end, close);
  const hasComma = rest.commaEnd !== null;
  if (!text.slice(container.offset, last.offset).includes("\n")) {
    if (rest.commaEnd !== null) return { offset: rest.commaEnd, before: "", after: ` ${member},` };
    return { offset: end, before: "", after: `, ${member}` };
  }
  // The member gets lines of its own, after the comments that share the last member's line.
  const indent = indentAt(text, last.offset);
  const kept = text.slice(end, rest.lineEnd);
  const line = `${eol}${indent}${member}`;
  return hasComma
    ? { offset: rest.lineEnd, before: "", after: `${line},` }
    : { offset: end, before: kept, after: `,${kept}${line}` };
}

function intoEmpty(document: Document, container: Node, member: string): TextEdit {
  const { text, eol } = document;
  const close = container.offset + container.length - 1;
  const inside = text.slice(container.offset + 1, close);
  const outer = indentAt(text, container.offset);
  const unit = detectIndent(text);
  if (container.type === "array" && !inside.includes("\n")) {
    return { offset: container.offset + 1 + inside.trimEnd().length, before: "", after: member };
  }
  const kept = inside.trimEnd();
  const line = `${eol}${outer}${unit}${member}`;
  const offset = container.offset + 1 + kept.length;
  if (inside.includes("\n")) return { offset, before: "", after: line };
  return { offset, before: inside.slice(kept.length), after: line + eol + outer };
}

interface TextRest {
  /** The offset after the trailing comma, if there is one. */
  readonly commaEnd: number | null;
  /** The end of the member's last line, including its comments. */
  readonly lineEnd: number;
}

// jsonc-parser's SyntaxKind is a const enum, which a bundler can't inline.
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const END_OF_FILE = 17;

function restOfMember(text: string, from: number, to: number): TextRest {
  const scanner = createScanner(text.slice(from, to));
  let commaEnd: number | null = null;
  let lineEnd = from;
  let isSameLine = true;
  for (let kind: number = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    const tokenEnd = from + scanner.getTokenOffset() + scanner.getTokenLength();
    if (kind === LINE_BREAK) isSameLine = false;
    if (kind === COMMA) {
      commaEnd = tokenEnd;
      lineEnd = tokenEnd;
      isSameLine = true;
    }
    if ((kind === LINE_COMMENT || kind === BLOCK_COMMENT) && isSameLine) lineEnd = tokenEnd;
  }
  return { commaEnd, lineEnd };
}

/** Returns the space before the first character of the line that `offset` is on. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^\ufeff?([ \t]*)/.exec(text.slice(lineStart, offset))?.[1] ?? "";
}

/** Finds one step of the file's indentation. */
function detectIndent(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
