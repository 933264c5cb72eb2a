import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import {
  circles,
  resolveImport,
  type SourceFile,
  sourceFilesIn,
} from "../../plugin/test/import-graph.ts";

const source = resolve(import.meta.dir, "../src");
const files = sourceFilesIn(source);

/** What stands at the bottom, and may be imported by everybody. */
const BASE = [
  "cli-error.ts",
  "invocation.ts",
  "launcher-file.ts",
  "npx-package.ts",
  "sentence.ts",
  "system-error.ts",
];

/** Folders that know little of the rest, and what of it they may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  terminal: [],
  "config-file": [],
  host: ["config-file"],
  live: ["host"],
  setup: ["config-file", "host", "live", "terminal"],
  doctor: ["config-file", "host", "live", "setup", "database", "terminal"],
};

function listImportedLayers(file: SourceFile): readonly string[] {
  return file.imports.flatMap((specifier) => {
    const path = resolveImport(source, file, specifier);
    if (path === null || path.startsWith("../") || BASE.includes(path)) return [];
    const [layer = path] = path.split("/");
    return layer === file.layer || path.endsWith(".json") ? [] : [layer];
  });
}

function offenders(isWrong: (file: SourceFile) => boolean): readonly string[] {
  return files.filter(isWrong).map(({ path }) => path);
}

describe("the command line's architecture", () => {
  test("folders import what they may", () => {
    const wrong = files.flatMap((file) => {
      const allowed = ARROWS[file.layer];
      if (allowed === undefined) return [];
      return listImportedLayers(file)
        .filter((layer) => !allowed.includes(layer))
        .map((layer) => `${file.path} -> ${layer}`);
    });
    expect(wrong).toEqual([]);
  });

  test("commands are imported by the catalogue alone, and only when they are called", () => {
    const importers = files.filter((file) => listImportedLayers(file).includes("commands"));
    expect(importers.map(({ path }) => path)).toEqual(["catalogue.ts"]);
    expect(importers[0]?.text).not.toMatch(/^import .*commands\//m);
  });

  test("nothing needs Bun: it runs on Node", () => {
    expect(offenders(({ text }) => /\bBun\.[a-z]|from "bun/.test(text))).toEqual([]);
  });

  test("doctor's checks are pure: they read facts, and nothing else", () => {
    const effects =
      /node:(?:fs|child_process|http|net|os)|process\.|Date\.now|Math\.random|fetch\(/;
    const isCheck = ({ path }: SourceFile) => path.startsWith("doctor/checks/");
    expect(files.some(isCheck)).toBe(true);
    expect(offenders((file) => isCheck(file) && effects.test(file.text))).toEqual([]);
  });

  test("the simulation is pure: recorded sessions go in, bills come out", () => {
    const effects =
      /"node:|\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|fetch\()/;
    const isSimulation = ({ path }: SourceFile) => path.startsWith("simulation/");
    expect(files.some(isSimulation)).toBe(true);
    expect(offenders((file) => isSimulation(file) && effects.test(file.text))).toEqual([]);
  });

  test("no imports run in a circle, those at call time too", () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.flatMap((specifier) => resolveImport(source, file, specifier) ?? []),
      ]),
    );
    expect(circles(graph)).toEqual([]);
  });

  test("a file has at most 300 lines", () => {
    expect(offenders(({ text }) => text.split("\n").length > 301)).toEqual([]);
  });

  test("no file is called utils, helpers, manager or common", () => {
    const vague = /(?:^|\/)(?:utils?|helpers?|manager|common)\b/;
    expect(offenders(({ path }) => vague.test(path))).toEqual([]);
  });
});
