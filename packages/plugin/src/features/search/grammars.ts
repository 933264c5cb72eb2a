// Outlines a file by its grammar with Lezer's parsers, each loaded at the first file that needs it.
import { extname } from "node:path";
import type { SyntaxNode, Tree } from "@lezer/common";
import { renderOutlineLine } from "./key-file-listing.ts";

interface Parser {
  parse(text: string): Tree;
}

const loadJavascript = async (dialect: string): Promise<Parser> =>
  (await import("@lezer/javascript")).parser.configure({ dialect });
const loadCpp = async (): Promise<Parser> => (await import("@lezer/cpp")).parser;

const PARSER_LOADERS = {
  ts: () => loadJavascript("ts"),
  tsx: () => loadJavascript("ts jsx"),
  js: () => loadJavascript("jsx"),
  py: async (): Promise<Parser> => (await import("@lezer/python")).parser,
  go: async (): Promise<Parser> => (await import("@lezer/go")).parser,
  rs: async (): Promise<Parser> => (await import("@lezer/rust")).parser,
  java: async (): Promise<Parser> => (await import("@lezer/java")).parser,
  php: async (): Promise<Parser> => (await import("@lezer/php")).parser,
  cpp: loadCpp,
} as const;

const LANGUAGES_BY_EXTENSION: ReadonlyMap<string, keyof typeof PARSER_LOADERS> = new Map(
  Object.entries({
    ts: [".ts", ".mts", ".cts"],
    tsx: [".tsx"],
    js: [".js", ".mjs", ".cjs", ".jsx"],
    py: [".py", ".pyi"],
    go: [".go"],
    rs: [".rs"],
    java: [".java"],
    php: [".php"],
    cpp: [".c", ".h", ".cc", ".cpp", ".hpp"],
  } satisfies Record<keyof typeof PARSER_LOADERS, readonly string[]>).flatMap(
    ([language, endings]) =>
      endings.map((ending) => [ending, language as keyof typeof PARSER_LOADERS] as const),
  ),
);

/** Declarations whose members are shown as well. */
const CONTAINER_PATTERN =
  /^(?:Class|Interface|Struct|Trait|Impl|Enum|Namespace|Mod|Record|Union)(?:Declaration|Definition|Specifier|Item)$/;
/**
 * Assignments. They are shown without their value and only at the top level: within a class they don't belong
 * to the outline.
 */
const VALUE_DECLARATION_PATTERN =
  /^(?:Field|Property|Variable|Const|Static|Var)(?:Declaration|Decl|Item)$|^Declaration$/;
const DECLARATION_PATTERN =
  /^(?:Function|Method|Constructor|TypeAlias|Type|Macro)(?:Declaration|Definition|Decl|Item)$/;
/** Nodes that may wrap a declaration. */
const WRAPPER_NODES: ReadonlySet<string> = new Set([
  ...["ExportDeclaration", "AmbientDeclaration", "TemplateDeclaration", "DecoratedStatement"],
]);
const BODY_PATTERN =
  /^(?:\w*Body|Block|CompoundStatement|ObjectType|DeclarationList|FieldDeclarationList|EnumVariantList|EnumeratorList)$/;
/** Nodes that may lie between a declaration and its body. */
const NESTED_TYPES: ReadonlySet<string> = new Set(["TypeSpec", "StructType", "InterfaceType"]);

export class Grammars {
  readonly #parsers = new Map<keyof typeof PARSER_LOADERS, Promise<Parser>>();

  /** Returns null if there is no grammar for files of this kind. */
  async outline(path: string, text: string): Promise<readonly string[] | null> {
    const language = LANGUAGES_BY_EXTENSION.get(extname(path).toLowerCase());
    if (language === undefined) return null;
    const loading = this.#parsers.get(language) ?? PARSER_LOADERS[language]();
    this.#parsers.set(language, loading);
    return listDeclarationLines((await loading).parse(text).topNode, text, 0);
  }
}

function listDeclarationLines(node: SyntaxNode, text: string, depth: 0 | 1): readonly string[] {
  return listChildren(node).flatMap((child) => toDeclarationLines(child, text, depth));
}

/** @param whole the declaration with the words around it, such as `export default` */
function toDeclarationLines(whole: SyntaxNode, text: string, depth: 0 | 1): readonly string[] {
  const node = WRAPPER_NODES.has(whole.name) ? listChildren(whole).findLast(isDeclaration) : whole;
  if (!node || !isDeclaration(node) || (depth === 1 && VALUE_DECLARATION_PATTERN.test(node.name)))
    return [];
  const body = findBody(node);
  const head = text.slice(whole.from, body?.from ?? whole.to);
  const shown = VALUE_DECLARATION_PATTERN.test(node.name)
    ? (head.split(/=(?!>)/)[0] ?? head)
    : head;
  const members =
    CONTAINER_PATTERN.test(node.name) && depth === 0 && body
      ? listDeclarationLines(body, text, 1)
      : [];
  return [renderOutlineLine(shown, depth), ...members];
}

function isDeclaration({ name }: SyntaxNode): boolean {
  return [CONTAINER_PATTERN, DECLARATION_PATTERN, VALUE_DECLARATION_PATTERN].some((names) =>
    names.test(name),
  );
}

function findBody(node: SyntaxNode): SyntaxNode | null {
  for (const child of listChildren(node)) {
    if (BODY_PATTERN.test(child.name)) return child;
    const within = NESTED_TYPES.has(child.name) ? findBody(child) : null;
    if (within) return within;
  }
  return null;
}

function listChildren(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
