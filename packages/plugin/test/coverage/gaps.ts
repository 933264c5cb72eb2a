import type { FileCoverage, Range } from "istanbul-lib-instrument";

/** Something in a file that no test ran. */
export interface Gap {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** All that was never run in the file, by line. */
export function listGaps(file: FileCoverage): readonly Gap[] {
  const gap = (range: Range, what: string): Gap => {
    return { path: file.path, line: range.start.line ?? 0, what };
  };
  const statements = Object.entries(file.statementMap)
    .filter(([id]) => file.s[id] === 0)
    .map(([, range]) => gap(range, "statement"));
  const functions = Object.entries(file.fnMap)
    .filter(([id]) => file.f[id] === 0)
    .map(([, { name, loc }]) => gap(loc, `function ${name}`));
  const branches = Object.entries(file.branchMap).flatMap(([id, { type, loc, locations }]) =>
    (file.b[id] ?? []).flatMap((count, index) => {
      if (count > 0) return [];
      // An else that isn't written has no line of its own.
      const written = locations[index]?.start.line === undefined ? loc : locations[index];
      return [gap(written, `branch ${index + 1} of ${locations.length} (${type})`)];
    }),
  );
  return [...statements, ...functions, ...branches].sort((left, right) => left.line - right.line);
}

/** Branches run and branches in all. */
export function countBranches(files: readonly FileCoverage[]): readonly [run: number, all: number] {
  const counts = files.flatMap((file) => Object.values(file.b).flat());
  return [counts.filter((count) => count > 0).length, counts.length];
}
