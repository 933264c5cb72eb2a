// A config file's text as the host would parse it.
// Folder: Edits of JSON config files that leave everything else as it was.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A config file as the host would read it, with its text as it stands. */
export interface Document {
  readonly text: string;
  /** Null where there is nothing but comments and space. */
  readonly root: Node | null;
  readonly eol: "\n" | "\r\n";
}

export type ParseResult =
  | { readonly kind: "document"; readonly document: Document }
  | {
      readonly kind: "invalid";
      readonly reason: string;
      readonly line: number;
      readonly column: number;
    };

const BOM = "\ufeff";

/** Parses as the host does: comments and trailing commas are fine, `{env:…}` and `{file:…}` too. */
export function parseDocument(text: string): ParseResult {
  const errors: ParseError[] = [];
  const readable = masked(text);
  const root = parseTree(readable, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split("\n");
    return {
      kind: "invalid",
      reason: printParseErrorCode(first.error)
        .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
        .toLowerCase(),
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { kind: "document", document: { text, root: root ?? null, eol } };
}

/**
 * The host fills in `{env:NAME}` and `{file:PATH}` before it parses, so they may stand where a bare
 * value must. For the structure any digits of the same length will do; a BOM is space to it.
 */
function masked(text: string): string {
  const filled = text.replace(/\{(?:env|file):[^}\n]+\}/g, (token) => "1".repeat(token.length));
  return filled.startsWith(BOM) ? ` ${filled.slice(1)}` : filled;
}

/** What a node's text says: strings as they stand, not as the mask has them. */
export function readString(document: Document, node: Node): string | null {
  if (node.type !== "string") return null;
  const value: unknown = JSON.parse(document.text.slice(node.offset, node.offset + node.length));
  return typeof value === "string" ? value : null;
}

/** All properties of an object under one name: written twice, the last one counts for the host. */
export function propertiesNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter((property) => property.children?.[0]?.value === name);
}
