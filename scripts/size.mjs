// How large the plugin's source is: lines, and what the compiler sees in them. `npm run structure` prints it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "@typescript/typescript6";

/** The size of each file of a folder, and of those below it, as one sum. */
export function sizeOfFolder(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  const sizes = names.map((name) => measureSize(readFileSync(join(folder, name), "utf8"), name));
  const sum = { files: names.length, statements: 0, functions: 0, exports: 0, types: 0, lines: 0 };
  for (const size of sizes) for (const key of Object.keys(size)) sum[key] += size[key];
  return sum;
}

/**
 * Statements are all but blocks: imports and declarations too, at every depth. Functions are those with a
 * name or without one, methods, accessors and constructors. Exports are names: what is passed on counts as
 * what is declared. Types are interfaces and aliases. Lines are those of the file, blank ones too.
 */
export function measureSize(text, name) {
  const size = {
    statements: 0,
    functions: 0,
    exports: 0,
    types: 0,
    lines: text.split("\n").length - 1,
  };
  const visit = (node) => {
    if (ts.isStatement(node) && !ts.isBlock(node)) size.statements += 1;
    if (ts.isFunctionLike(node) && node.body !== undefined) size.functions += 1;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) size.types += 1;
    size.exports += countExports(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  return size;
}

function countExports(node) {
  if (ts.isExportAssignment(node)) return 1;
  if (ts.isExportDeclaration(node)) return node.exportClause?.elements?.length ?? 1;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return 0;
  return ts.isVariableStatement(node) ? node.declarationList.declarations.length : 1;
}

/** One line for people. */
export function sizeLine(folder) {
  const { files, ...size } = sizeOfFolder(folder);
  const parts = Object.entries(size).map(
    ([what, count]) => `${count.toLocaleString("en")} ${what}`,
  );
  return `${parts.join(", ")} in ${files} files`;
}
