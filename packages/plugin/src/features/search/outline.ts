// Outlines a file from its lines: for any language, without a grammar. Pure.

/** Matches the words that begin a declaration, or a heading of a document. */
const MODIFIERS =
  "(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\\([a-z]+\\))?|unsafe|override|sealed|open|virtual)";
const KEYWORDS =
  "(?:class|interface|enum|struct|trait|impl|type|namespace|module|mod|record|protocol|extension|object|def|fn|func|fun|function|sub|macro_rules!|const|let|var|val)";
const DECLARATION = new RegExp(`^(?:${MODIFIERS}\\s+)*${KEYWORDS}\\s+[\\w$*(<"'@{\\[]`);
const VALUE = /^(?:\w+\s+)*(?:const|let|var|val)\s/;
const HEADING = /^#{1,3} \S/;
/** Members of a class are indented one step; deeper lines are a function's own. */
const MAX_INDENT = 4;
const MAX_CHARS = 110;

export function plainOutline(text: string, isDocument: boolean): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const shown = line.trim();
    if (isDocument) return HEADING.test(line) ? [outlineLine(shown, 0)] : [];
    const indent = line.replaceAll("\t", "    ").search(/\S/);
    if (indent < 0 || indent > MAX_INDENT || !DECLARATION.test(shown)) return [];
    // Local variables of a function don't belong to a file's outline.
    if (indent > 0 && VALUE.test(shown)) return [];
    return [outlineLine(shown, indent === 0 ? 0 : 1)];
  });
}

/** Renders a declaration without its body, on one line. */
export function outlineLine(declaration: string, depth: 0 | 1): string {
  const line = declaration
    .replace(/\s+/g, " ")
    .replace(/\s*(?:[{:=]|=>|\bdo)\s*$/, "")
    .trim();
  const bounded = line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1)}…`;
  return `${depth === 0 ? "" : "  "}${bounded}`;
}
