// Bundles the command line for Node into packages/cli/dist: it is TypeScript, which Node 20 can't run.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hostBinary } from "./host-binary.mjs";
import { ensureInstalled, root } from "./install.mjs";

const source = join(root, "packages/cli");

/** Builds into a folder beside `target` and then swaps, so that nobody runs half a build. */
export function buildCli(target = join(source, "dist")) {
  ensureInstalled();
  const fresh = mkdtempSync(`${target}.new-`);
  const args = [
    "build",
    "./src/main.ts",
    `--outdir=${fresh}`,
    "--entry-naming=session-runtime.js",
    "--chunk-naming=[name]-[hash].js",
    "--target=node",
    "--splitting",
    "--minify-whitespace",
    "--minify-syntax",
    "--external=bun:*",
    // jsonc-parser's "main" is UMD, whose inner requires no bundler follows.
    "--main-fields=module",
    "--main-fields=main",
  ];
  const { status } = spawnSync(hostBinary(), args, {
    cwd: source,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, BUN_BE_BUN: "1" },
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error("The command line could not be bundled; what Bun said stands above.");
  }
  chmodSync(join(fresh, "session-runtime.js"), 0o755);
  const former = `${fresh}.former`;
  if (existsSync(target)) renameSync(target, former);
  renameSync(fresh, target);
  rmSync(former, { recursive: true, force: true });
  return join(target, "session-runtime.js");
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  console.log(buildCli());
}
