// Parses a config file's text as the host would.
// Folder: Edits of JSON config files that leave everything else as it was.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** Holds a config file as the host would read it, with its original text. */
export interface Document {
  readonly text: string;
  /** The parsed value; null where the text has only comments and whitespace. */
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

/** Parses as the host does: comments, trailing commas, `{env:…}` and `{file:…}` are fine. */
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
 * Replaces `{env:NAME}` and `{file:PATH}` by digits of the same length: the host fills them in before it
 * parses, so they may be where a bare value must be. A BOM becomes a space.
 */
function masked(text: string): string {
  const filled = text.replace(/\{(?:env|file):[^}\n]+\}/g, (token) => "1".repeat(token.length));
  return filled.startsWith(BOM) ? ` ${filled.slice(1)}` : filled;
}

/** Returns a node's original string, not the masked one. */
export function readString(document: Document, node: Node): string | null {
  if (node.type !== "string") return null;
  const value: unknown = JSON.parse(document.text.slice(node.offset, node.offset + node.length));
  return typeof value === "string" ? value : null;
}

/** Returns all properties of an object with one name: the host uses the last one. */
export function propertiesNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).filter((property) => property.children?.[0]?.value === name);
}
