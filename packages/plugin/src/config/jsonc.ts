// Reads JSON with comments and trailing commas; errors name line and column.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

export type Jsonc =
  | { readonly kind: "value"; readonly value: unknown }
  /** `line` and `column` count from 1. */
  | {
      readonly kind: "broken";
      readonly line: number;
      readonly column: number;
      readonly reason: string;
    };

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
    if (first !== undefined) return broken(source, first.offset, sayError(first));
    return { kind: "value", value: root === undefined ? {} : plainValue(root) };
  } catch (error) {
    // The parser is recursive: a text of nothing but brackets exhausts the stack.
    if (error instanceof RangeError) return broken(source, 0, "nested too deeply");
    throw error;
  }
}

function plainValue(node: Node): unknown {
  const children = node.children ?? [];
  switch (node.type) {
    case "object":
      return Object.fromEntries(children.map(propertyOf));
    case "array":
      return children.map(plainValue);
    case "property":
      return propertyOf(node);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return node.value;
  }
}

function propertyOf(node: Node): readonly [string, unknown] {
  const [key, value] = node.children ?? [];
  return [String(key?.value), value === undefined ? null : plainValue(value)];
}

function broken(source: string, offset: number, reason: string): Jsonc {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return {
    kind: "broken",
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    reason,
  };
}

/** `CommaExpected` becomes `comma expected`. */
function sayError(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}
