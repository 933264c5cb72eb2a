// Which files of the repository a file leads to: by imports, or by the name of a program that it starts.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const FILE_NAME = /"([^"\s]+\.(?:tsx?|mjs))"/g;
/** A module of the plugin's, as the other packages import it; the package alone is its entry. */
const PLUGIN_MODULE = /"@session-runtime\/opencode(?:\/([a-z0-9/-]+))?"/g;
const PLUGIN_SOURCE = resolve(import.meta.dirname, "../packages/plugin/src");
/** By absolute path: a run asks for the same files many times. */
const known = new Map();

/** The files that a file names and that are there; absolute paths. */
export function listImports(path) {
  const found = known.get(path);
  if (found) return found;
  const text = readFileSync(path, "utf8");
  const named = [...text.matchAll(FILE_NAME)].map(([, name]) => join(dirname(path), name));
  const modules = [...text.matchAll(PLUGIN_MODULE)].map(([, name = "index"]) =>
    join(PLUGIN_SOURCE, `${name}.ts`),
  );
  const targets = [...named, ...modules].filter(
    (target) => existsSync(target) && statSync(target).isFile(),
  );
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
