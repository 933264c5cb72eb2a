// Adds a member before an array's others without reformatting.
import type { Node } from "jsonc-parser";
import { append, indentAt } from "./append.ts";
import type { Document } from "./document.ts";
import type { TextEdit } from "./text-edit.ts";

/** Adds the member, given as its text. A comment that shares the bracket's line stays there. */
export function prepend(document: Document, list: Node, member: string): TextEdit {
  const [first] = list.children ?? [];
  if (first === undefined) return append(document, list, member);
  const { text, eol } = document;
  const lineEnd = text.slice(list.offset, first.offset).search(/\r?\n/);
  const opening = text.slice(list.offset, list.offset + Math.max(0, lineEnd));
  if (lineEnd === -1 || opening.includes("/*")) {
    return { offset: first.offset, before: "", after: `${member}, ` };
  }
  const after = `${eol}${indentAt(text, first.offset)}${member},`;
  return { offset: list.offset + lineEnd, before: "", after };
}
