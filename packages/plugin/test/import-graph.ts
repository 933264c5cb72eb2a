import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A source file with what it imports, as written. */
export interface SourceFile {
  /** Relative to the folder of the sources. */
  readonly path: string;
  /** Its first folder, or its own name. */
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly string[];
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
      return { path, layer: path.split("/")[0] ?? path, text, imports };
    });
}

/** The file that a relative import means, relative to `source`; null for a package. */
export function targetOf(source: string, file: SourceFile, specifier: string): string | null {
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
