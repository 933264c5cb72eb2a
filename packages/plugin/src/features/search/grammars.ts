// Outlines a file by its grammar with Lezer's parsers, each loaded at the first file that needs it.
import { extname } from "node:path";
import type { SyntaxNode, Tree } from "@lezer/common";
import { outlineLine } from "./key-file-listing.ts";

interface Parser {
  parse(text: string): Tree;
}

const javascript = async (dialect: string): Promise<Parser> =>
  (await import("@lezer/javascript")).parser.configure({ dialect });
const cpp = async (): Promise<Parser> => (await import("@lezer/cpp")).parser;

const LOADERS = {
  ts: () => javascript("ts"),
  tsx: () => javascript("ts jsx"),
  js: () => javascript("jsx"),
  py: async (): Promise<Parser> => (await import("@lezer/python")).parser,
  go: async (): Promise<Parser> => (await import("@lezer/go")).parser,
  rs: async (): Promise<Parser> => (await import("@lezer/rust")).parser,
  java: async (): Promise<Parser> => (await import("@lezer/java")).parser,
  php: async (): Promise<Parser> => (await import("@lezer/php")).parser,
  cpp,
} as const;

const LANGUAGES: ReadonlyMap<string, keyof typeof LOADERS> = new Map(
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
  } satisfies Record<keyof typeof LOADERS, readonly string[]>).flatMap(([language, endings]) =>
    endings.map((ending) => [ending, language as keyof typeof LOADERS] as const),
  ),
);

/** Declarations whose members are shown, too. */
const CONTAINERS =
  /^(?:Class|Interface|Struct|Trait|Impl|Enum|Namespace|Mod|Record|Union)(?:Declaration|Definition|Specifier|Item)$/;
/**
 * Assignments: they are shown without their value and at the top level alone, as within a class they don't belong to
 * the outline.
 */
const HELD =
  /^(?:Field|Property|Variable|Const|Static|Var)(?:Declaration|Decl|Item)$|^Declaration$/;
const DECLARATIONS =
  /^(?:Function|Method|Constructor|TypeAlias|Type|Macro)(?:Declaration|Definition|Decl|Item)$/;
/** Nodes that may wrap a declaration. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...["ExportDeclaration", "AmbientDeclaration", "TemplateDeclaration", "DecoratedStatement"],
]);
const BODIES =
  /^(?:\w*Body|Block|CompoundStatement|ObjectType|DeclarationList|FieldDeclarationList|EnumVariantList|EnumeratorList)$/;
/** Nodes that may lie between a declaration and its body. */
const NESTED_TYPES: ReadonlySet<string> = new Set(["TypeSpec", "StructType", "InterfaceType"]);

export class Grammars {
  readonly #parsers = new Map<keyof typeof LOADERS, Promise<Parser>>();

  /** Returns null if there is no grammar for such files here. */
  async outline(path: string, text: string): Promise<readonly string[] | null> {
    const language = LANGUAGES.get(extname(path).toLowerCase());
    if (language === undefined) return null;
    const loading = this.#parsers.get(language) ?? LOADERS[language]();
    this.#parsers.set(language, loading);
    return listDeclarationLines((await loading).parse(text).topNode, text, 0);
  }
}

function listDeclarationLines(node: SyntaxNode, text: string, depth: 0 | 1): readonly string[] {
  return listChildren(node).flatMap((child) => declarationLines(child, text, depth));
}

/** @param whole the declaration with the words around it, such as `export default` */
function declarationLines(whole: SyntaxNode, text: string, depth: 0 | 1): readonly string[] {
  const node = WRAPPERS.has(whole.name) ? listChildren(whole).findLast(isDeclared) : whole;
  if (!node || !isDeclared(node) || (depth === 1 && HELD.test(node.name))) return [];
  const body = findBody(node);
  const head = text.slice(whole.from, body?.from ?? whole.to);
  const shown = HELD.test(node.name) ? (head.split(/=(?!>)/)[0] ?? head) : head;
  const members =
    CONTAINERS.test(node.name) && depth === 0 && body ? listDeclarationLines(body, text, 1) : [];
  return [outlineLine(shown, depth), ...members];
}

function isDeclared({ name }: SyntaxNode): boolean {
  return [CONTAINERS, DECLARATIONS, HELD].some((names) => names.test(name));
}

function findBody(node: SyntaxNode): SyntaxNode | null {
  for (const child of listChildren(node)) {
    if (BODIES.test(child.name)) return child;
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
