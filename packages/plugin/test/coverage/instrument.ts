/**
 * A preload for `bun test` that demands complete coverage, by branches, of the pure layers:
 *
 *   node scripts/bun.mjs test --preload ./packages/plugin/test/coverage/instrument.ts \
 *     packages/plugin/test/context packages/plugin/test/ledger
 *
 * Bun counts lines and functions only. `COVERAGE_FOLDERS=src/context` (relative to the plugin's
 * package, comma between) looks at other folders. Counters go to
 * `coverage/pure-layers.json` in the working directory.
 */
import { afterAll } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { createInstrumenter, type FileCoverage } from "istanbul-lib-instrument";
import { countBranches, listGaps } from "./gaps.ts";

const packageFolder = resolve(import.meta.dir, "../..");
const reportFile = resolve("coverage/pure-layers.json");
const folders = (process.env.COVERAGE_FOLDERS ?? "src/context,src/ledger")
  .split(",")
  .map((folder) => join(packageFolder, folder));
const measured = new Set(folders.flatMap(sourceFiles));

// Istanbul reads and prints TypeScript itself, so that lines are those of the source.
const instrumenter = createInstrumenter({ esModules: true, parserPlugins: ["typescript"] });

Bun.plugin({
  name: "branch-coverage",
  setup(build) {
    build.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      if (!measured.has(path)) return { contents, loader: "ts" };
      return { contents: instrumenter.instrumentSync(contents, path), loader: "ts" };
    });
  },
});

// Of a preload this runs once, after the last test file; `bun test` emits no `exit` event.
afterAll(() => {
  const files = [...measured].sort().map(readCoverage);
  const gaps = files.flatMap(listGaps);
  const [run, all] = countBranches(files);
  mkdirSync(dirname(reportFile), { recursive: true });
  writeFileSync(
    reportFile,
    JSON.stringify(Object.fromEntries(files.map((file) => [file.path, file]))),
  );
  for (const { path, line, what } of gaps) {
    console.error(`${relative(process.cwd(), path)}:${line}: never run: ${what}`);
  }
  console.error(
    `coverage: ${run} of ${all} branches in ${files.length} files, ${gaps.length} gaps`,
  );
  if (gaps.length > 0) process.exitCode = 1;
});

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** A file that no test imports counts with all that is in it. */
function readCoverage(path: string): FileCoverage {
  const counted = (globalThis as { __coverage__?: Record<string, FileCoverage> }).__coverage__?.[
    path
  ];
  if (counted) return counted;
  instrumenter.instrumentSync(readFileSync(path, "utf8"), path);
  return instrumenter.lastFileCoverage();
}
