// The outline of a file by its grammar, where tree-sitter's WASM build is installed.
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { outlineLine } from "./outline.ts";

/** As much of web-tree-sitter as is used here. */
interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly namedChildren: readonly (SyntaxNode | null)[];
  childForFieldName(name: string): SyntaxNode | null;
}

interface TreeSitter {
  readonly Parser: {
    new (): {
      setLanguage(language: object): unknown;
      parse(text: string): { readonly rootNode: SyntaxNode; delete(): void } | null;
      delete(): void;
    };
    init(options: { readonly locateFile: (file: string) => string }): Promise<void>;
  };
  readonly Language: { load(path: string): Promise<object> };
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx" },
  ...{ ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript" },
  ...{ ".py": "python", ".go": "go", ".rs": "rust", ".java": "java", ".rb": "ruby" },
  ...{ ".php": "php", ".cs": "c-sharp", ".sh": "bash" },
  ...{ ".c": "cpp", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp" },
};

/** Whose members are shown, too. */
const CONTAINERS =
  /^(?:(?:abstract_)?class|interface|struct|trait|impl|enum|module|mod|namespace|internal_module|record|object)(?:_(?:declaration|definition|item|specifier|statement))?$/;
const DECLARATIONS =
  /^(?:generator_)?(?:function|method|type_alias|type|constructor|lexical|variable|const|static|field|property|short_var|union|macro|singleton_method|public_field|abstract_method|interface|enum|delegate)(?:_(?:declaration|definition|item|signature|specifier))?$/;
/** What stands around a declaration. */
const WRAPPERS =
  /^(?:export_statement|decorated_definition|ambient_declaration|template_declaration)$/;
/** Within a class, what it holds is none of its outline. */
const HELD = /^(?:field|property|public_field|lexical|variable|const|static)/;

export class Grammars {
  #loading: Promise<TreeSitter> | null = null;
  readonly #languages = new Map<string, Promise<object>>();

  /** @param folder with `tree-sitter.js`, `tree-sitter.wasm` and a WASM file per language */
  constructor(private readonly folder: string) {}

  /** Null: there is no grammar for such files here. Rejects where one can't be loaded. */
  async outline(path: string, text: string): Promise<readonly string[] | null> {
    const language = LANGUAGES[extname(path).toLowerCase()];
    const file = join(this.folder, `tree-sitter-${language}.wasm`);
    if (language === undefined || !existsSync(file)) return null;
    const { Parser, Language } = await this.#treeSitter();
    const known = this.#languages.get(file) ?? Language.load(file);
    this.#languages.set(file, known);
    const parser = new Parser();
    try {
      parser.setLanguage(await known);
      const tree = parser.parse(text);
      if (!tree) return null;
      const lines = linesOf(tree.rootNode, 0);
      tree.delete();
      return lines;
    } finally {
      parser.delete();
    }
  }

  #treeSitter(): Promise<TreeSitter> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<TreeSitter> {
    const loaded: { readonly default?: TreeSitter } & TreeSitter = await import(
      pathToFileURL(join(this.folder, "tree-sitter.js")).href
    );
    const treeSitter = loaded.default ?? loaded;
    await treeSitter.Parser.init({ locateFile: (file) => join(this.folder, file) });
    return treeSitter;
  }
}

function linesOf(node: SyntaxNode, depth: 0 | 1): readonly string[] {
  return node.namedChildren.flatMap((child) => {
    if (!child) return [];
    if (WRAPPERS.test(child.type)) return wrappedLines(child, depth);
    return declarationLines(child, headOf(child, child), depth);
  });
}

/** With the words around it, `export default` say. */
function wrappedLines(wrapper: SyntaxNode, depth: 0 | 1): readonly string[] {
  const inner = wrapper.namedChildren.findLast((child) => child && isDeclared(child));
  return inner ? declarationLines(inner, headOf(wrapper, inner), depth) : [];
}

function isDeclared({ type }: SyntaxNode): boolean {
  return CONTAINERS.test(type) || DECLARATIONS.test(type);
}

function declarationLines(node: SyntaxNode, head: string, depth: 0 | 1): readonly string[] {
  if (!isDeclared(node) || (depth === 1 && HELD.test(node.type))) return [];
  const body = node.childForFieldName("body");
  const members = CONTAINERS.test(node.type) && depth === 0 && body ? linesOf(body, 1) : [];
  return [outlineLine(head, depth), ...members];
}

/** The text up to the body, or up to the value of what is assigned. */
function headOf(whole: SyntaxNode, node: SyntaxNode): string {
  const body = node.childForFieldName("body");
  const head = body ? whole.text.slice(0, body.startIndex - whole.startIndex) : whole.text;
  const line = HELD.test(node.type) ? (head.split(/=(?!>)/)[0] ?? head) : head;
  return line.trim() === "" ? whole.text : line;
}
