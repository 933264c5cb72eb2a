// Which sources are mutated, and which test files import them.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether a path is the entry, or below it if the entry is a folder. */
export function isWithin(entry, path) {
  return entry.endsWith("/") ? path.startsWith(entry) : path === entry;
}

/** Every TypeScript file below a folder, relative to it. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .sort();
}

/**
 * The source files that the command's words mean: folders and files, relative to the sources, to their features or
 * to the repository, with or without the place of a mutant after a colon. Without words all that have a bar.
 */
export function chosenFiles({ root, sources, bars, leftOutSources }, words) {
  const all = filesBelow(join(root, sources)).filter((path) => !leftOutSources.includes(path));
  if (words.length === 0) {
    return all.filter((path) => Object.keys(bars).some((entry) => isWithin(entry, path)));
  }
  const chosen = words.flatMap((word) => {
    const path = parseMutantFile(word).replace(`${sources}/`, "").replace(/\/$/, "");
    const within = (place) => (file) => file === place || file.startsWith(`${place}/`);
    const named = all.filter(within(path));
    const found = named.length > 0 ? named : all.filter(within(`features/${path}`));
    if (found.length === 0)
      throw new Error(`${word}: there is no such file or folder in ${sources}`);
    return found;
  });
  return [...new Set(chosen)];
}

/** The file of `ledger/replay.ts:12:3#1`. */
export function parseMutantFile(word) {
  return word.split(":")[0] ?? word;
}

/** Of these files, those that differ from a revision, or are not yet known to git. */
export function changedSince({ root, sources }, revision, files) {
  const git = (...words) => {
    const { status, stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.trim()}`);
    return stdout.split("\n");
  };
  const changed = new Set([
    ...git("diff", "--name-only", "--relative", revision, "--", sources),
    ...git("ls-files", "--others", "--exclude-standard", "--", sources),
  ]);
  return files.filter((path) => changed.has(`${sources}/${path}`));
}

/** The test files that import one of these sources, directly or through others. */
export function findTests({ root, sources, tests, slowTests, leftOutTests }, files, depth) {
  const left = depth === "thorough" ? leftOutTests : [...leftOutTests, ...slowTests];
  const wanted = new Set(files.map((path) => join(root, sources, path)));
  const imports = new Map();
  return filesBelow(join(root, tests))
    .filter((path) => path.endsWith(".test.ts"))
    .filter((path) => !left.some((entry) => isWithin(entry, path)))
    .filter((path) => reaches(join(root, tests, path), wanted, imports));
}

/** Of test files those that are about a source: those of its folder, and those that import it themselves. */
export function findOwnTests(setting, source, testFiles) {
  const importing = findImportingTests(setting, source, testFiles);
  const isOwn = (file) => topFolder(file) === topFolder(source) || importing.has(file);
  return new Set(testFiles.filter(isOwn));
}

/** Of test files those that import a source themselves. */
export function findImportingTests({ root, sources, tests }, source, testFiles) {
  const path = join(root, sources, source);
  return new Set(testFiles.filter((file) => listImports(join(root, tests, file)).includes(path)));
}

/** The folder of sources or tests that a file is in: they are named alike. */
export function topFolder(path) {
  return /^features\/[^/]+/.exec(path)?.[0] ?? path.split("/")[0] ?? "";
}

/** Whether a file leads to a wanted one: by imports, or by the name of a program that it starts. */
function reaches(start, wanted, imports) {
  const seen = new Set([start]);
  for (const path of seen) {
    if (wanted.has(path)) return true;
    if (!imports.has(path)) imports.set(path, listImports(path));
    for (const next of imports.get(path)) seen.add(next);
  }
  return false;
}

function listImports(path) {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/"([^"\s]+\.ts)"/g)]
    .map(([, name]) => join(dirname(path), name))
    .filter((target) => existsSync(target));
}
