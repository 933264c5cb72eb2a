// Which files of the repository a file leads to: by imports, or by the name of a program that it starts.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const FILE_NAME = /"([^"\s]+\.(?:tsx?|mjs))"/g;
/** By absolute path: a run asks for the same files many times. */
const known = new Map();

/** The files that a file names and that are there; absolute paths. */
export function listImports(path) {
  const found = known.get(path);
  if (found) return found;
  const text = readFileSync(path, "utf8");
  const targets = [...text.matchAll(FILE_NAME)]
    .map(([, name]) => join(dirname(path), name))
    .filter((target) => existsSync(target) && statSync(target).isFile());
  const unique = [...new Set(targets)];
  known.set(path, unique);
  return unique;
}

/** Every file that a file leads to, itself included, with the number of steps to it. */
export function reachedFrom(start) {
  const steps = new Map([[start, 0]]);
  for (const [path, step] of steps) {
    for (const next of listImports(path)) if (!steps.has(next)) steps.set(next, step + 1);
  }
  return steps;
}
