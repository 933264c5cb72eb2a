// Finds survivors that don't compile.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "@typescript/typescript6";

/**
 * Survivors that don't compile get the status "doesn't compile": the type check, which is one of the
 * tests, notices them. What a mutant only leaves unused is not an error here.
 */
export function compiling(setting, mutants) {
  const survivors = mutants.filter(({ status }) => ["survived", "no test"].includes(status));
  if (survivors.length === 0) return mutants;
  const compiles = typeChecker(setting);
  return mutants.map((mutant) => {
    if (!survivors.includes(mutant) || compiles(mutant)) return mutant;
    return { ...mutant, status: "doesn't compile" };
  });
}

function typeChecker({ root, sources, tsconfig }) {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, tsconfig), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const inSources = fileNames.filter((path) => path.startsWith(join(root, sources)));
  // One file at a time differs from the disk; its version is another each time.
  const changed = { path: "", text: "", version: 0 };
  const versions = new Map();
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      ...options,
      noUnusedLocals: false,
      noUnusedParameters: false,
    }),
    getScriptFileNames: () => inSources,
    getScriptVersion: (path) => String(versions.get(path) ?? 0),
    getScriptSnapshot: (path) => {
      const text = path === changed.path ? changed.text : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });

  function put(path, text) {
    for (const touched of new Set([path, changed.path])) {
      versions.set(touched, (versions.get(touched) ?? 0) + 1);
    }
    Object.assign(changed, { path, text });
  }

  function compiles(path, text) {
    put(path, text);
    return (
      service.getSyntacticDiagnostics(path).length === 0 &&
      service.getSemanticDiagnostics(path).length === 0
    );
  }

  return ({ file, range: [from, to], replacement }) => {
    const path = join(root, sources, file);
    const text = readFileSync(path, "utf8");
    if (!compiles(path, text)) throw new Error(`${path} doesn't compile as it is`);
    return compiles(path, text.slice(0, from) + replacement + text.slice(to));
  };
}
