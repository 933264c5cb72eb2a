// Reads JSON with comments and trailing commas; errors name line and column.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

type Jsonc =
  | { readonly kind: "value"; readonly value: unknown; readonly findLine: LineLookup }
  /** Both `line` and `column` count from 1. */
  | {
      readonly kind: "broken";
      readonly line: number;
      readonly column: number;
      readonly reason: string;
    };

/** Returns the line (from 1) of a path's value, or of the deepest part of the path that the text contains. */
export type LineLookup = (path: readonly string[]) => number | null;

/**
 * Reads JSON with comments and trailing commas. A text without a value is an empty object. Every
 * key becomes an own property: `__proto__` is a name like any other.
 */
export function readJsonc(text: string): Jsonc {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const errors: ParseError[] = [];
  try {
    const root = parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [first] = errors;
    if (first !== undefined)
      return createBrokenJsonc(source, first.offset, describeParseError(first));
    if (root === undefined) return { kind: "value", value: {}, findLine: () => null };
    const findLine: LineLookup = (path) => toLineNumber(source, findNode(root, path).offset);
    return { kind: "value", value: toPlainValue(root), findLine };
  } catch (error) {
    // The parser is recursive: a text of nothing but brackets exhausts the stack.
    if (error instanceof RangeError) return createBrokenJsonc(source, 0, "nested too deeply");
    throw error;
  }
}

/** Finds a property. If a name occurs several times, the last occurrence counts, as in the parsed value. */
function findNode(node: Node, path: readonly string[]): Node {
  const [name, ...rest] = path;
  const children = node.children ?? [];
  if (name === undefined) return node;
  if (node.type === "array") {
    const element = children[Number(name)];
    return element === undefined ? node : findNode(element, rest);
  }
  const property = children.findLast((child) => child.children?.[0]?.value === name);
  const value = property?.children?.[1];
  if (property === undefined || value === undefined) return node;
  // Reports the line of the key, because a long value may begin on a later line.
  return rest.length === 0 ? property : findNode(value, rest);
}

function toLineNumber(source: string, offset: number): number {
  return source.slice(0, offset).split(/\r\n|\r|\n/).length;
}

function toPlainValue(node: Node): unknown {
  const children = node.children ?? [];
  switch (node.type) {
    case "object":
      return Object.fromEntries(children.map(toProperty));
    case "array":
      return children.map(toPlainValue);
    case "property":
      return toProperty(node);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return node.value;
  }
}

function toProperty(node: Node): readonly [string, unknown] {
  const [key, value] = node.children ?? [];
  return [String(key?.value), value === undefined ? null : toPlainValue(value)];
}

function createBrokenJsonc(source: string, offset: number, reason: string): Jsonc {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return {
    kind: "broken",
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    reason,
  };
}

/** Turns `CommaExpected` into `comma expected`. */
function describeParseError(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}
