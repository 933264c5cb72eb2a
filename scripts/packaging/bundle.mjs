// Bundles a package by the pinned host's Bun, in a folder that is then swapped in.
// Folder: Steps of building a package.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pinnedBinary } from "../host-binary.mjs";

/**
 * Bundles `entries` of the package in `cwd` by the Bun of the pinned host; every dynamic import stays a file of
 * its own. `startModule` is what has loaded whenever anything loads later: all that it needs becomes one file. Gives
 * the packages that went into the bundle, and those of `candidates` that it still imports.
 */
export function bundle({ candidates, ...build }) {
  const { cwd, outdir } = build;
  const graphFile = join(outdir, "graph.json");
  const { status } = spawnSync(
    pinnedBinary(),
    [join(import.meta.dirname, "bundle-by-bun.mjs"), JSON.stringify({ ...build, graphFile })],
    { cwd, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, BUN_BE_BUN: "1" } },
  );
  if (status !== 0) throw new Error("The bundle could not be built; what Bun said stands above.");
  const graph = JSON.parse(readFileSync(graphFile, "utf8"));
  rmSync(graphFile);
  return {
    inside: packagesIn(Object.keys(graph.inputs)),
    outside: packagesImported(graph, candidates),
  };
}

function packagesIn(paths) {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

function packagesImported({ outputs }, candidates) {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return candidates.filter((name) =>
    imported.some((path) => path === name || path.startsWith(`${name}/`)),
  );
}

/** A folder beside `target` to build in. */
export function freshFolder(target) {
  return mkdtempSync(`${target}.new-`);
}

/** Puts a finished build into its place at once, so that nobody runs half a build. */
export function swapIn(fresh, target) {
  const former = `${fresh}.former`;
  if (existsSync(target)) renameSync(target, former);
  renameSync(fresh, target);
  rmSync(former, { recursive: true, force: true });
}
