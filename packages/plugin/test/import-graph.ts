import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A source file with what it imports, as written. */
export interface SourceFile {
  /** Relative to the folder of the sources. */
  readonly path: string;
  /** Its first folder, a feature's own below `features/`, or its own name. */
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Those of them that are there when the program runs: it loads the file, now or later. */
  readonly valueImports: readonly string[];
}

/** `memory` of `memory/text.ts`, `features/memory` of `features/memory/text.ts`. */
export function findLayer(path: string): string {
  return /^features\/[^/]+/.exec(path)?.[0] ?? path.split("/")[0] ?? path;
}

/** Every TypeScript file below `source`. */
export function sourceFilesIn(source: string): readonly SourceFile[] {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(source, path), "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) =>
        String(match[1]),
      );
      const valueImports = listValueImports(text);
      return { path, layer: findLayer(path), text, imports, valueImports };
    });
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s+"([^"]+)"/gm;
const BARE = /^import\s+"([^"]+)"|(?<!typeof )\bimport\(\s*"([^"]+)"/gm;

function listValueImports(text: string): readonly string[] {
  const stated = [...text.matchAll(STATEMENT)].flatMap(([, type, names = "", from = ""]) =>
    type !== undefined || isOnlyTypes(names) ? [] : [from],
  );
  const loaded = [...text.matchAll(BARE)].map(([, bare, dynamic]) => bare ?? dynamic ?? "");
  return [...stated, ...loaded];
}

/** `{ type A, type B }` */
function isOnlyTypes(names: string): boolean {
  const [, list] = /^\{([\s\S]*)\}$/.exec(names.trim()) ?? [];
  if (list === undefined) return false;
  return list
    .split(",")
    .map((name) => name.trim())
    .every((name) => name === "" || name.startsWith("type "));
}

/**
 * Which folders import from which; `imports` says which imports of a file count. A folder within another
 * stands for itself where it is a feature of its own.
 */
export function folderGraph(
  source: string,
  files: readonly SourceFile[],
  imports: (file: SourceFile) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const features = files.flatMap(({ path }) =>
    /^.+\/.+\/feature\.ts$/.test(path) ? dirname(path) : [],
  );
  const topFolder = (path: string) =>
    features.find((feature) => path.startsWith(`${feature}/`)) ?? findLayer(path);
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = topFolder(file.path);
    const reached = graph.get(folder) ?? new Set<string>();
    graph.set(folder, reached);
    for (const specifier of imports(file)) {
      const path = resolveImport(source, file, specifier);
      if (path !== null && topFolder(path) !== folder) reached.add(topFolder(path));
    }
  }
  return new Map([...graph].map(([folder, reached]) => [folder, [...reached]]));
}

/** The file that a relative import means, relative to `source`; null for a package. */
export function resolveImport(source: string, file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return relative(source, resolve(source, dirname(file.path), specifier));
}

/** Each circle once, as a chain of paths. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (done.has(path)) return;
    done.add(path);
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}
