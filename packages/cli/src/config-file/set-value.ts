// Sets top-level properties.
import type { Node } from "jsonc-parser";
import { append } from "./append.ts";
import { type Document, parseDocument, propertiesNamed } from "./document.ts";
import { applyEdit, editBetween, type TextEdit } from "./text-edit.ts";

/** Sets top-level properties to strings; null if they have these values already. */
export function setValues(
  document: Document,
  values: ReadonlyMap<string, string>,
): TextEdit | null {
  let current = document;
  for (const [key, value] of values) {
    const edit = setValue(current, key, value);
    const parsed = edit === null ? null : parseDocument(applyEdit(current.text, edit));
    if (parsed?.kind === "document") current = parsed.document;
  }
  return current.text === document.text ? null : editBetween(document.text, current.text);
}

function setValue(document: Document, key: string, value: string): TextEdit | null {
  const { root, text, eol } = document;
  const quoted = JSON.stringify(value);
  const member = `${JSON.stringify(key)}: ${quoted}`;
  if (root === null) {
    const lead = text === "" || text.endsWith("\n") ? "" : eol;
    return { offset: text.length, before: "", after: `${lead}{${eol}  ${member}${eol}}${eol}` };
  }
  const present = findValueNode(root, key);
  if (present === undefined) return append(document, root, member);
  const before = text.slice(present.offset, present.offset + present.length);
  return before === quoted ? null : { offset: present.offset, before, after: quoted };
}

function findValueNode(root: Node, key: string): Node | undefined {
  return propertiesNamed(root, key).at(-1)?.children?.[1];
}
